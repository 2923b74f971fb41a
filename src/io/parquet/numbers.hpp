#pragma once

// Stored values as doubles. Integers above 2^53 and decimals are rounded to the nearest double, as
// their text in a .csv is.

#include "io/parquet/footer.hpp"
#include "polyak/types.hpp"

namespace polyak::io::parquet {

/// Of `count` values of column.width bytes each; booleans have bits and are not read here.
void to_doubles(const Column& column, const char* stored, Index count, double* out);

}  // namespace polyak::io::parquet
