#pragma once

// NumPy's .npy: a header with type and shape as a Python dictionary, then the values.
// NumPy's .npz: a zip archive (zip.hpp) of .npy files; SciPy's sparse matrices are five of them.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::internal::io {

enum class NpyType { f4, f8, i1, i2, i4, i8, u1, u2, u4, b1 };

struct NpyHeader {
  NpyType type = NpyType::f8;
  bool fortran_order = false;
  int dimensions = 2;
  Index rows = 0;
  Index cols = 0;  ///< 1 for one dimension; the product of all but the first for more than two
  std::vector<Index> shape = {};
  std::size_t offset = 0;  ///< of the first value, in bytes
};

std::size_t item_size(NpyType type);
std::string type_name(NpyType type);

/// Parses and checks the dictionary in the header; does not set `offset`.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name);
/// Parses and checks the header, and that the length of the file matches it. More than two
/// dimensions are refused unless `any_dimensions`.
NpyHeader parse_npy_header(const MappedFile& file, bool any_dimensions = false);
/// The dictionary at the beginning of a file, and where the values begin. Error bad_data if the
/// file does not begin as one of .npy.
struct NpyStart {
  std::string_view dictionary;
  std::size_t offset = 0;
};
NpyStart npy_start(std::string_view bytes, const std::string& name);

/// Doubles and floats in C order are used in the mapped file without a copy. Other types and
/// Fortran order are copied into memory, as row-major doubles (or floats if options.single).
Table read_npy(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options);
/// The rows, for any order and type, in bounded memory.
std::unique_ptr<RowSource> npy_rows(const std::shared_ptr<const MappedFile>& file);
FileInfo inspect_npy(const MappedFile& file);
/// An array of any number of dimensions, mapped.
StoredArrayPtr open_npy(const std::shared_ptr<const MappedFile>& file);

struct NpyLayout {
  Index cols = 1;
  bool single = false;         ///< floats instead of doubles
  bool one_dimension = false;  ///< a vector: shape (n,) instead of (n, 1)
};

/// Writes little-endian values in C order. The header gets the number of rows at the end.
std::unique_ptr<RowSink> npy_sink(const std::string& path, const NpyLayout& layout);

/// The header of a .npy file for a type ("<f8") and a shape ("(3, 4)").
std::string npy_header_bytes(const std::string& type, const std::string& shape);

}  // namespace polyak::internal::io
