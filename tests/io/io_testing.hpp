#pragma once

// What the tests of files share: a folder of their own, bytes in and out, and
// the exit code that a fault would give.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "support/sanitized.hpp"

namespace polyak::testing {

/// A folder that is removed at the end, with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const;
  /// Names of everything in it, hidden files too, sorted.
  std::vector<std::string> files() const;

 private:
  std::string path_;
};

std::string read_bytes(const std::string& path);

/// A .npy file with this dictionary and payload.
std::string npy_bytes(const std::string& dictionary, std::string_view payload, int version = 1);
std::string npy_bytes(const std::string& descr, bool fortran, const std::string& shape,
                      std::string_view payload);
template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {static_cast<const char*>(static_cast<const void*>(values.data())),
          values.size() * sizeof(T)};
}
/// Compressed as gzip would.
std::string gzip_bytes(std::string_view bytes);

/// All values, by rows.
std::vector<double> values_of(const RowMatrix& A);
std::vector<double> values_of(const Array& array);

/// The error a call ends in; fails the test when it ends well.
Error error_of(const std::function<void()>& call);
/// Its exit code, 0 when it ends well.
int code_of(const std::function<void()>& call);

/// Runs the call in a child process with little address space, and says how it
/// ended, how much its memory grew and what time it took of the processor.
struct ChildResult {
  int code;
  double grown_mb;
  double seconds;
};
ChildResult in_child(const std::function<void()>& call);

}  // namespace polyak::testing
