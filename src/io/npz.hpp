#pragma once

// NumPy's .npz: a zip archive whose members are .npy files. Ours are stored, not
// compressed, which needs a checksum (zlib's) and three kinds of header and no
// library: libzip would be one more package for two screens of code.

#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"

namespace polyak::io {

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
