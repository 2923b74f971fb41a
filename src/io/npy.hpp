#pragma once

// NumPy's .npy: a line of Python that names type and shape, then the values.

#include <memory>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::io {

enum class NpyType { f4, f8, i1, i2, i4, i8, u1, u2, u4, b1 };

struct NpyHeader {
  NpyType type = NpyType::f8;
  bool fortran_order = false;
  int dimensions = 2;
  Index rows = 0;
  Index cols = 0;  ///< 1 when there is only one dimension, of more than two the product
  std::vector<Index> shape = {};
  std::size_t offset = 0;  ///< of the first value
};

std::size_t item_size(NpyType type);
std::string type_name(NpyType type);

/// The dictionary in the header, checked; `offset` is left to the caller.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name);
/// Checks everything, also that the file is exactly as long as it should be.
/// More than two dimensions are refused unless asked for.
NpyHeader parse_npy_header(const MappedFile& file, bool any_dimensions = false);

/// Doubles and floats in C order are viewed in the mapped file, not read. All
/// else is copied: other types into doubles, Fortran order into row-major
/// order, which takes the memory of the whole matrix.
Table read_npy(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options);
/// In any order and of any type, in bounded memory.
std::unique_ptr<RowSource> npy_rows(const std::shared_ptr<const MappedFile>& file);
FileInfo inspect_npy(const MappedFile& file);
/// Of any number of dimensions, mapped.
StoredArrayPtr open_npy(const std::shared_ptr<const MappedFile>& file);

struct NpyLayout {
  Index cols = 1;
  bool single = false;         ///< floats instead of doubles
  bool one_dimension = false;  ///< a vector: shape (n,) instead of (n, 1)
};

/// Little-endian, C order. The number of rows goes into the header at the end.
std::unique_ptr<RowSink> npy_sink(const std::string& path, const NpyLayout& layout);

}  // namespace polyak::io
