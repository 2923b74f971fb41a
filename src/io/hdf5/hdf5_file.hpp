#pragma once

// A thin layer over HDF5's C library: every identifier is closed, every status
// is looked at, and what the library would print becomes an Error.

#define H5_USE_110_API
#include <hdf5.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::io {

/// One thread at a time, as a library built without threads needs it, and no
/// messages on standard error. Hold one around every call.
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

/// bad_data with the library's own reason; io when the disk was it.
[[noreturn]] void fail_hdf5(const std::string& what, const std::string& where);

/// An identifier and how it is closed. Negative ones are refused.
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
  /// For messages.
  std::string where(const std::string& name) const { return path_ + ":" + name; }
  bool has(const std::string& name) const;
  /// Paths of all datasets, ascending, from "/" on; links are not followed.
  std::vector<std::string> datasets() const;
  /// A dataset or group. Ways that lead into another file are refused.
  Hdf5Id object(const std::string& name) const;
  /// Of an attribute that is a text, or nothing.
  std::optional<std::string> text_attribute(const std::string& name,
                                            const std::string& attribute) const;
  /// Of an attribute that is a list of whole numbers, or nothing.
  std::optional<std::vector<Index>> integer_attribute(const std::string& name,
                                                      const std::string& attribute) const;

 private:
  std::string path_;
  Hdf5Id file_;
  Hdf5Id access_;  // link access: refuses links into other files
};

/// A dataset that is open, with what must be known before it is read.
class Hdf5Dataset {
 public:
  Hdf5Dataset(const Hdf5File& file, const std::string& name);

  const std::string& where() const { return where_; }
  const std::vector<Index>& shape() const { return shape_; }
  const std::string& value_type() const { return value_type_; }
  bool numeric() const { return numeric_; }
  /// bad_data for what cannot or must not be read.
  void check_readable(Index file_bytes) const;
  /// A box of it, all of it when `first` is null.
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
