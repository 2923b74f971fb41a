#pragma once

// Tables of Arrow: polars, pyarrow, DuckDB and others give them as a stream of chunks of columns.

#include "inputs.hpp"

namespace polyak::python {

/// The table of a capsule "arrow_array_stream", as rows of doubles (one copy) with the names of
/// its columns. A missing value is NaN. Error bad_data for a column that does not hold numbers.
Input arrow_table(const nb::capsule& stream);

}  // namespace polyak::python
