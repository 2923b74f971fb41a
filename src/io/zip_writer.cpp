#include <zlib.h>

#include <cassert>

#include "io/npz.hpp"

namespace polyak::io {
namespace {

constexpr std::size_t buffer_bytes = 1u << 20;
constexpr unsigned version = 45;          // the first to know zip64
constexpr unsigned first_day = 0x0021;    // 1 January 1980: the same bytes every day
constexpr std::uint32_t see_extra = ~0u;  // a size that stands in the zip64 field
constexpr Index checksum_at = 14;         // in a member's header
constexpr std::uint32_t unknown_checksum = 0;

// Little-endian numbers of a given width.
void put(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xff);
}
void put16(std::string& out, std::uint64_t value) { put(out, value, 2); }
void put32(std::string& out, std::uint64_t value) { put(out, value, 4); }
void put64(std::string& out, Index value) { put(out, static_cast<std::uint64_t>(value), 8); }

// From "version needed" to "length of the extra field", alike in both headers.
void put_common(std::string& out, std::uint32_t checksum, const std::string& name,
                unsigned extra_bytes) {
  put16(out, version);
  put16(out, 0);  // flags
  put16(out, 0);  // stored
  put16(out, 0);  // time
  put16(out, first_day);
  put32(out, checksum);
  put32(out, see_extra);
  put32(out, see_extra);
  put16(out, name.size());
  put16(out, extra_bytes);
}

}  // namespace

void ZipWriter::begin(const std::string& name, Index size) {
  members_.push_back({name, size, position_, 0});
  std::string head;
  put32(head, 0x04034b50);
  put_common(head, unknown_checksum, name, 20);
  head += name;
  put16(head, 1);  // zip64
  put16(head, 16);
  put64(head, size);
  put64(head, size);
  buffer_ += head;
  position_ += std::ssize(head);
}

void ZipWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;  // zlib takes a null pointer for a wish to begin anew
  Member& member = members_.back();
  member.checksum = static_cast<std::uint32_t>(
      ::crc32_z(member.checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  buffer_ += bytes;
  position_ += std::ssize(bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void ZipWriter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void ZipWriter::end() {
  const Member& member = members_.back();
  assert(position_ == member.offset + 50 + std::ssize(member.name) + member.size);
  flush();
  std::string checksum;
  put32(checksum, member.checksum);
  file_.write_at(member.offset + checksum_at, checksum);
}

// The directory, its zip64 record and where that is, and the old record, which
// points there.
void ZipWriter::commit() {
  const Index directory = position_;
  std::string out;
  for (const Member& member : members_) {
    put32(out, 0x02014b50);
    put16(out, version);  // made by
    put_common(out, member.checksum, member.name, 28);
    put(out, 0, 10);  // comment, disk, attributes
    put32(out, see_extra);
    out += member.name;
    put16(out, 1);
    put16(out, 24);
    put64(out, member.size);
    put64(out, member.size);
    put64(out, member.offset);
  }
  const Index size = std::ssize(out), count = std::ssize(members_);
  put32(out, 0x06064b50);
  put64(out, 44);
  put16(out, version);
  put16(out, version);
  put64(out, 0);  // this disk, the directory's disk
  put64(out, count);
  put64(out, count);
  put64(out, size);
  put64(out, directory);
  put32(out, 0x07064b50);
  put32(out, 0);
  put64(out, directory + size);
  put32(out, 1);
  put32(out, 0x06054b50);
  put(out, 0, 4);
  put16(out, static_cast<std::uint64_t>(count));
  put16(out, static_cast<std::uint64_t>(count));
  put32(out, see_extra);
  put32(out, see_extra);
  put16(out, 0);
  buffer_ += out;
  flush();
  file_.commit();
}

}  // namespace polyak::io
