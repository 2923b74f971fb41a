#pragma once

// A thin layer over the C library of HDF5: every identifier is closed, every status is checked,
// and error messages become an Error.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/late_hdf5.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// A lock around calls of the library, which is not thread-safe; meanwhile it prints no messages
/// on standard error. Hold one around every call.
class Hdf5Calls {
 public:
  Hdf5Calls();
  ~Hdf5Calls();
  Hdf5Calls(const Hdf5Calls&) = delete;
  Hdf5Calls& operator=(const Hdf5Calls&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws bad_data with the error message of the library; io if reading the disk failed.
[[noreturn]] void fail_hdf5(const std::string& what, const std::string& where);

/// An identifier, closed by the destructor. A negative one is an Error.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id(hid_t id, Close close, const std::string& what, const std::string& where)
      : id_(id), close_(close) {
    if (id < 0) fail_hdf5(what, where);
  }
  ~Hdf5Id();
  Hdf5Id(Hdf5Id&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Id& operator=(Hdf5Id&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

template <class Status>
Status checked_hdf5(Status status, const char* what, const std::string& where) {
  if (status < 0) fail_hdf5(what, where);
  return status;
}

/// A file open for reading.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path);

  const std::string& path() const { return path_; }
  hid_t id() const { return file_; }
  /// The file and a name in it, for messages.
  std::string where(const std::string& name) const { return path_ + ":" + name; }
  bool has(const std::string& name) const;
  /// The paths of all datasets from "/" on, sorted; links are not followed.
  std::vector<std::string> datasets() const;
  /// Opens a dataset or group. Links into another file are refused.
  Hdf5Id object(const std::string& name) const;
  /// The value of a text attribute; nullopt if it does not exist or is not a text.
  std::optional<std::string> text_attribute(const std::string& name,
                                            const std::string& attribute) const;
  /// The values of an integer attribute; nullopt if it does not exist or has another type.
  std::optional<std::vector<Index>> integer_attribute(const std::string& name,
                                                      const std::string& attribute) const;

 private:
  std::string path_;
  Hdf5Id file_;
  Hdf5Id access_;  // link access properties that refuse links into other files
};

/// An open dataset, with its shape and type.
class Hdf5Dataset {
 public:
  Hdf5Dataset(const Hdf5File& file, const std::string& name);

  const std::string& where() const { return where_; }
  const std::vector<Index>& shape() const { return shape_; }
  const std::string& value_type() const { return value_type_; }
  bool numeric() const { return numeric_; }
  /// Error bad_data if the values are in other files, need an unknown filter, or cannot fit into a
  /// file of `file_bytes` bytes.
  void check_readable(Index file_bytes) const;
  /// Reads a box, or the whole dataset if `first` is null.
  void read(const hsize_t* first, const hsize_t* count, double* out) const;
  std::vector<Index> read_integers() const;

 private:
  std::string where_;
  Hdf5Id id_;
  std::vector<Index> shape_;
  std::string value_type_;
  bool numeric_ = false;
};

}  // namespace polyak::io
