#pragma once

// Zip archives, as far as NumPy's .npz needs them: members that are stored or deflated, with the
// 64-bit sizes of zip64. zlib inflates and computes the checksums; no zip library is used.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "polyak/types.hpp"

namespace polyak::internal::io {

/// An archive written sequentially, without compression, with 64-bit sizes as NumPy writes them.
/// The file is complete after commit(), otherwise absent.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}

  /// Begins a member of exactly `size` bytes; they follow in any number of writes.
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
  Index position_ = 0;  // in the file, including the buffer
};

struct ZipMember {
  std::string name;
  std::uint64_t packed = 0, size = 0;  ///< bytes in the file, and unpacked
  std::uint64_t offset = 0;            ///< of its header in the file
  std::uint32_t checksum = 0;
  bool deflated = false;
};

/// The members, in the order of the directory. Error bad_data if the file is no archive, is
/// truncated, encrypted, in several parts, or packed in another way. Names are never used as paths.
std::vector<ZipMember> zip_members(const MappedFile& file);

/// The first bytes of a member, at least `at_least` of them unless it is shorter; not checked
/// against its checksum.
std::string zip_beginning(const MappedFile& file, const ZipMember& member, std::size_t at_least);

/// A whole member in memory, checked against its checksum. Its size is checked against its bytes in
/// the file and the machine's memory before it is unpacked.
std::shared_ptr<const MappedFile> zip_contents(const MappedFile& file, const ZipMember& member);

}  // namespace polyak::internal::io
