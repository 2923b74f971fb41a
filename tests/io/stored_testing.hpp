#pragma once

// Files of the formats that libraries read, made by the same libraries.

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io_testing.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::testing {

/// A file that h5py or SciPy wrote; tests/data/files/README.md lists them.
inline std::string outside(const std::string& name) {
  return std::string(POLYAK_TEST_DATA) + "/files/" + name;
}

/// An HDF5 file being written, closed at the end.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  hid_t id() const { return file_; }
  /// Doubles, stored as `type`; chunks of this shape compressed by deflate, or
  /// none.
  void put(const std::string& name, const std::vector<hsize_t>& shape,
           const std::vector<double>& values, hid_t type = H5T_IEEE_F64LE,
           const std::vector<hsize_t>& chunk = {});
  /// Attributes of a group or dataset.
  void attribute(const std::string& name, const std::string& attribute,
                 const std::vector<std::int64_t>& values);
  void text(const std::string& name, const std::string& attribute, const std::string& value);

 private:
  hid_t file_, links_;
};

enum class MatVersion { v5, v7, v73 };
struct MatVariable {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< by columns
  bool sparse = false;         ///< then the nonzeros of `values` are stored
};
void write_mat(const std::string& path, const std::vector<MatVariable>& variables,
               MatVersion version);

/// Pages of rows × cols each, all values of a page as type T.
struct TiffStyle {
  bool tiled = false;
  bool compressed = false;
  std::uint32_t rows_per_strip = 3;
  std::uint16_t channels = 1;
};
template <class T>
void write_tiff(const std::string& path, std::uint32_t rows, std::uint32_t cols,
                const std::vector<std::vector<T>>& pages, const TiffStyle& style = {});

}  // namespace polyak::testing
