#pragma once

// Formats that libraries read from a file by its name: the bytes become one, in memory.

#include <fcntl.h>
#include <unistd.h>

#include "fuzz_reader.hpp"
#include "polyak/io.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::fuzz {
using namespace polyak::internal;

/// A file of that ending with these bytes, for as long as this lives.
class FileOf {
 public:
  FileOf(const char* ending, const std::uint8_t* data, std::size_t size)
      : path_("/dev/shm/polyak-fuzz-" + std::to_string(::getpid()) + ending) {
    const int fd = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size));
    ::close(fd);
  }
  ~FileOf() { ::unlink(path_.c_str()); }
  FileOf(const FileOf&) = delete;
  FileOf& operator=(const FileOf&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What is read whole stays small: how much memory a file may ask for is tested elsewhere.
inline void read_arrays(const std::string& path) {
  constexpr Index most = 1 << 20;
  for (const ArrayInfo& array : list_arrays(path)) {
    if (!array.numeric || array.sparse) continue;
    tolerate([&] {
      const auto opened = open_array(array.name.empty() ? path : path + ":" + array.name);
      if (opened->size() <= most) check(ssize(opened->read_all()) == opened->size());
    });
  }
}

inline int read_file(const char* ending, const std::uint8_t* data, std::size_t size) {
  const FileOf file(ending, data, size);
  tolerate([&] { (void)inspect(file.path()); });
  tolerate([&] { read_arrays(file.path()); });
  tolerate([&] { use(read_table(file.path(), {})); });
  return 0;
}

}  // namespace polyak::fuzz
