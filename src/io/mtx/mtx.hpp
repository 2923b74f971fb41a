#pragma once

// Matrix Market: a banner, comments, a line of sizes, then the entries, either
// "row column value" (coordinate) or all values by columns (array).

#include <memory>
#include <string>

#include "io/file.hpp"
#include "io/text/text.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

enum class MtxField { real, integer, pattern };
enum class MtxSymmetry { general, symmetric, skew };

struct MtxHeader {
  bool coordinate = true;
  MtxField field = MtxField::real;
  MtxSymmetry symmetry = MtxSymmetry::general;
  Index rows = 0;
  Index cols = 0;
  Index stored = 0;  ///< entries in the file; symmetric ones stand for two
};

/// Reads up to and including the line of sizes and checks what it claims:
/// `bytes` is the length of the file, or 0 to check nothing against it.
MtxHeader parse_mtx_header(Lines& lines, Index bytes, const std::string& name);

/// Coordinate data becomes CSR, array data a dense matrix.
Table read_mtx(const MappedFile& file, const ReadOptions& options);
/// The two halves of read_mtx, from behind the header on.
Table read_mtx_coordinate(Lines lines, const MtxHeader& header, const ReadOptions& options,
                          const std::string& name);
Table read_mtx_array(Lines lines, const MtxHeader& header, const ReadOptions& options,
                     const std::string& name);

/// `whole` is false when only the beginning of the file is there.
FileInfo inspect_mtx(const MappedFile& file, bool whole);

/// Coordinate for sparse matrices, array for dense ones.
void write_mtx(const std::string& path, const RowMatrix& A);

}  // namespace polyak::io
