#pragma once

// Reading once the input is open, whatever its format: what read_table,
// convert and the fuzz targets have in common.

#include "io/format.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

/// usage when an option does not apply to the format.
void check_options(const Input& input, const ReadOptions& options);
Table read_input(const Input& input, const ReadOptions& options);
Array read_input_array(const Input& input, const ReadOptions& options);
FileInfo inspect_input(const Input& input);

}  // namespace polyak::io
