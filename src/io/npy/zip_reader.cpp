#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/npy/zip.hpp"
#include "polyak/error.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::internal::io {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        entry_mark = 0x02014b50, header_mark = 0x04034b50;
constexpr std::uint64_t see_zip64 = 0xffffffff;

[[noreturn]] void refuse_zip(const std::string& name, const std::string& what,
                             const std::string& found = {}, const std::string& expected = {}) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = name, .found = found, .expected = expected});
}

// Little-endian numbers at any place of the file.
class ZipBytes {
 public:
  explicit ZipBytes(const MappedFile& file) : name_(file.name()), bytes_(file.bytes()) {}

  std::string_view at(std::uint64_t place, std::uint64_t count) const {
    if (place > bytes_.size() || count > bytes_.size() - place)
      refuse_zip(name_, "the archive is truncated or damaged", {}, "a whole .npz file");
    return bytes_.substr(place, count);
  }
  std::uint64_t number(std::uint64_t place, int width) const {
    const std::string_view digits = at(place, static_cast<std::uint64_t>(width));
    std::uint64_t out = 0;
    for (int k = width; k > 0; --k)
      out = out << 8 | static_cast<unsigned char>(digits[static_cast<std::size_t>(k - 1)]);
    return out;
  }
  std::uint64_t size() const { return bytes_.size(); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string_view bytes_;
};

struct ZipDirectory {
  std::uint64_t count = 0, offset = 0;
};

// The end record is followed by a comment of up to 64 KB.
std::uint64_t place_of_end(const ZipBytes& bytes) {
  constexpr std::uint64_t length = 22, longest_comment = 0xffff;
  if (bytes.size() < length) refuse_zip(bytes.name(), "not a .npz file, or truncated");
  const std::uint64_t last = bytes.size() - length;
  const std::uint64_t first = last - std::min(last, longest_comment);
  for (std::uint64_t place = last + 1; place > first; --place)
    if (bytes.number(place - 1, 4) == end_mark) return place - 1;
  refuse_zip(bytes.name(), "not a .npz file, or truncated");
}

ZipDirectory directory_of_zip(const ZipBytes& bytes) {
  const std::uint64_t end = place_of_end(bytes);
  if (bytes.number(end + 4, 4) != 0)
    refuse_zip(bytes.name(), "the archive is one of several parts");
  ZipDirectory out{bytes.number(end + 10, 2), bytes.number(end + 16, 4)};
  const bool small = out.count != 0xffff && out.offset != see_zip64;
  if (small || end < 20 || bytes.number(end - 20, 4) != locator_mark) return out;
  const std::uint64_t record = bytes.number(end - 12, 8);
  if (bytes.number(record, 4) != end64_mark)
    refuse_zip(bytes.name(), "the archive is truncated or damaged");
  return {bytes.number(record + 32, 8), bytes.number(record + 48, 8)};
}

// Sizes and offset that do not fit into 32 bits are in an extra field, in this order.
void read_zip64(const ZipBytes& bytes, std::uint64_t extra, std::uint64_t length,
                ZipMember& member) {
  for (std::uint64_t place = extra; place + 4 <= extra + length;) {
    const std::uint64_t kind = bytes.number(place, 2), size = bytes.number(place + 2, 2);
    std::uint64_t next = place + 4;
    for (std::uint64_t* value : {&member.size, &member.packed, &member.offset}) {
      if (kind != 1 || *value != see_zip64 || next + 8 > place + 4 + size) continue;
      *value = bytes.number(next, 8);
      next += 8;
    }
    place += 4 + size;
  }
}

// Deflate compresses at most 1032 times.
void check_sizes(const ZipBytes& bytes, const ZipMember& member) {
  constexpr std::uint64_t max_ratio = 1032, header = 64;
  const std::string where = bytes.name() + ":" + member.name;
  bytes.at(member.offset, member.packed);
  const bool possible = member.deflated ? member.size / max_ratio <= member.packed + header
                                        : member.size == member.packed;
  if (!possible)
    refuse_zip(where, "the archive states sizes that its bytes cannot hold",
               std::to_string(member.size) + " bytes", "less in " + std::to_string(member.packed));
}

// The name stands in the header of the member as well.
void check_header(const ZipBytes& bytes, const ZipMember& member) {
  const bool right = bytes.number(member.offset, 4) == header_mark &&
                     bytes.number(member.offset + 26, 2) == member.name.size() &&
                     bytes.at(member.offset + 30, member.name.size()) == member.name;
  if (!right) refuse_zip(bytes.name() + ":" + member.name, "the archive is truncated or damaged");
}

// The entry at `place` of the directory; moves `place` behind it.
ZipMember read_entry(const ZipBytes& bytes, std::uint64_t& place) {
  if (bytes.number(place, 4) != entry_mark)
    refuse_zip(bytes.name(), "the archive is truncated or damaged");
  const std::uint64_t names = bytes.number(place + 28, 2), extra = bytes.number(place + 30, 2);
  ZipMember member{.name = std::string(bytes.at(place + 46, names)),
                   .packed = bytes.number(place + 20, 4),
                   .size = bytes.number(place + 24, 4),
                   .offset = bytes.number(place + 42, 4),
                   .checksum = static_cast<std::uint32_t>(bytes.number(place + 16, 4))};
  const std::uint64_t method = bytes.number(place + 10, 2);
  if ((bytes.number(place + 8, 2) & 1) != 0)
    refuse_zip(bytes.name() + ":" + member.name, "the archive is encrypted");
  if (method != 0 && method != 8)
    refuse_zip(bytes.name() + ":" + member.name, "the way of compression is not supported",
               std::to_string(method), "0 (none) or 8 (deflate)");
  member.deflated = method == 8;
  read_zip64(bytes, place + 46 + names, extra, member);
  check_sizes(bytes, member);
  check_header(bytes, member);
  place += 46 + names + extra + bytes.number(place + 32, 2);
  return member;
}

std::string_view packed_bytes(const ZipBytes& bytes, const ZipMember& member) {
  const std::uint64_t place = member.offset;
  const std::uint64_t before = 30 + bytes.number(place + 26, 2) + bytes.number(place + 28, 2);
  return bytes.at(place + before, member.packed);
}

// Up to `count` unpacked bytes; `all` where the stream has to end there.
std::string inflate_raw(std::string_view packed, std::size_t count, bool all,
                        const std::string& name) {
  constexpr std::size_t max_per_call = 1u << 30;  // zlib counts bytes in 32 bits
  z_stream stream{};
  if (::inflateInit2(&stream, -15) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, ::inflateEnd);
  std::string out(count + (all ? 1 : 0), '\0');  // one more, to see that there is no more
  std::size_t used = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK && made < out.size()) {
    const std::size_t input = std::min(max_per_call, packed.size() - used);
    const std::size_t room = std::min(max_per_call, out.size() - made);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + used));
    stream.avail_in = static_cast<uInt>(input);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    status = ::inflate(&stream, Z_NO_FLUSH);
    used += input - stream.avail_in;
    made += room - stream.avail_out;
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const bool right =
      all ? status == Z_STREAM_END && made == count : status == Z_STREAM_END || made == out.size();
  if (!right) refuse_zip(name, "the compressed data is damaged");
  out.resize(made);
  return out;
}

}  // namespace

std::vector<ZipMember> zip_members(const MappedFile& file) {
  const ZipBytes bytes(file);
  const ZipDirectory directory = directory_of_zip(bytes);
  std::vector<ZipMember> out;
  std::uint64_t place = directory.offset;
  for (std::uint64_t k = 0; k < directory.count; ++k) out.push_back(read_entry(bytes, place));
  return out;
}

std::string zip_beginning(const MappedFile& file, const ZipMember& member, std::size_t at_least) {
  const ZipBytes bytes(file);
  const std::string_view packed = packed_bytes(bytes, member);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(at_least, member.size));
  if (!member.deflated) return std::string(packed.substr(0, count));
  return inflate_raw(packed, count, false, file.name() + ":" + member.name);
}

std::shared_ptr<const MappedFile> zip_contents(const MappedFile& file, const ZipMember& member) {
  const std::string name = file.name() + ":" + member.name;
  const ZipBytes bytes(file);
  const std::string_view packed = packed_bytes(bytes, member);
  check_room(static_cast<double>(member.size), name);
  std::string out =
      member.deflated ? inflate_raw(packed, member.size, true, name) : std::string(packed);
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size());
  if (checksum != member.checksum) refuse_zip(name, "the checksum of the array is wrong");
  return MappedFile::from_memory(name, std::move(out));
}

}  // namespace polyak::internal::io
