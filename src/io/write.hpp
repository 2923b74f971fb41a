#pragma once

// Writing whole tables: what write_matrix and convert have in common.

#include <string>

#include "io/rows.hpp"

namespace polyak::io {

/// Where b goes if the format of A has no place for it: "out/A.mtx.gz", "out/A_b.mtx.gz".
std::string rhs_path(const std::string& path);
/// Into .csv or .npy, a block at a time; .npy in single precision if asked for
/// or if the source is.
void write_rows(const std::string& path, RowSource& source, bool single);
/// Into any format, with b where that format keeps it.
void write_table(const std::string& path, const Table& table, bool single);

}  // namespace polyak::io
