#pragma once

// NumPy's .npy: a line of Python that names type and shape, then the values.
// NumPy's .npz: a zip archive whose members are .npy files. Ours are stored, not
// compressed, which needs a checksum (zlib's) and three kinds of header and no
// library: libzip would be one more package for two screens of code.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// A zip archive written front to back. Sizes have 64 bits throughout (zip64),
/// as NumPy's own have. What is written under the name is whole or not there.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}

  /// A member of exactly `size` bytes follows, in any number of writes.
  void begin(const std::string& name, Index size);
  void write(std::string_view bytes);
  void end();
  void commit();

 private:
  struct Member {
    std::string name;
    Index size = 0, offset = 0;
    std::uint32_t checksum = 0;
  };
  void flush();

  OutputFile file_;
  std::vector<Member> members_;
  std::string buffer_;
  Index position_ = 0;  // in the file, the buffer included
};

/// The first bytes of a .npy file: "<f8", "(3, 4)".
std::string npy_head(const std::string& type, const std::string& shape);

}  // namespace polyak::io
