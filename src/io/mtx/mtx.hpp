#pragma once

// Matrix Market: a first line with the kind of matrix, comments, a line of sizes, then the
// entries: "row column value" (coordinate) or all values by columns (array).

#include <memory>
#include <string>

#include "io/file.hpp"
#include "io/text/text.hpp"
#include "polyak/io.hpp"

namespace polyak::internal::io {

enum class MtxField { real, integer, pattern };
enum class MtxSymmetry { general, symmetric, skew };

struct MtxHeader {
  bool coordinate = true;
  MtxField field = MtxField::real;
  MtxSymmetry symmetry = MtxSymmetry::general;
  Index rows = 0;
  Index cols = 0;
  Index stored = 0;  ///< entries in the file; of a symmetric matrix one triangle
};

/// Reads up to and including the line of sizes. The sizes are checked against the length of the
/// file, `bytes`; not if it is 0.
MtxHeader parse_mtx_header(Lines& lines, Index bytes, const std::string& name);

/// Coordinate data becomes CSR, array data a dense matrix.
Table read_mtx(const MappedFile& file, const ReadOptions& options);
/// read_mtx after the header, for coordinate and array data.
Table read_mtx_coordinate(Lines lines, const MtxHeader& header, const ReadOptions& options,
                          const std::string& name);
Table read_mtx_array(Lines lines, const MtxHeader& header, const ReadOptions& options,
                     const std::string& name);

/// `whole` is false if only the beginning of the file was decompressed.
FileInfo inspect_mtx(const MappedFile& file, bool whole);

/// Coordinate for sparse matrices, array for dense ones.
void write_mtx(const std::string& path, const RowMatrix& A);

}  // namespace polyak::internal::io
