// Checks of MATLAB files before matio reads them. Version 5: a header of 128 bytes, then elements,
// each with 8 bytes of type and length. Version 4: variables one after the other, each with its
// own header.

#include <zlib.h>

#include <array>
#include <string>
#include <string_view>

#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

constexpr std::size_t compressed = 15;

// Unsigned 32-bit numbers in the byte order of the file; 0 beyond the end.
class Words {
 public:
  Words(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}
  std::size_t at(std::size_t offset) const {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 4 && offset + 4 <= bytes_.size(); ++k)
      value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes_[offset + k]))
               << (8 * (little_ ? k : 3 - k));
    return value;
  }

 private:
  std::string_view bytes_;
  bool little_;
};

// The first 256 bytes of compressed data, or fewer if it is damaged.
std::string inflate_beginning(std::string_view bytes) {
  std::string out(256, '\0');
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

// A cell, struct or object array holds at least 8 bytes per element. matio allocates as many
// elements as the header states, so their number is checked against `max_bytes`.
bool cells_fit(const Words& words, std::size_t max_bytes) {
  const std::size_t kind = words.at(16) & 0xff, size_bytes = words.at(28);
  if (kind < 1 || kind > 3 || words.at(24) != 5)
    return true;  // only cell, struct and object arrays
  std::size_t cells = 1;
  for (std::size_t k = 0; k < size_bytes / 4 && k < 32; ++k) {
    const std::size_t n = words.at(32 + 4 * k);
    if (n > 0 && cells > max_bytes / n) return false;
    cells *= n;
  }
  return cells <= max_bytes / 8 + 1;
}

[[noreturn]] void refuse(const MappedFile& file, const std::string& what, std::size_t expected) {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = file.name(),
                                    .found = std::to_string(file.size()) + " bytes",
                                    .expected = "an end at " + std::to_string(expected)});
}

[[noreturn]] void refuse_claim(const MappedFile& file, std::size_t at, std::size_t length) {
  throw Error(ErrorCode::bad_data,
              {.what = "a variable of the MATLAB file states a size that its length cannot hold",
               .where = file.name(),
               .found = std::to_string(length) + " bytes from byte " + std::to_string(at)});
}

// Header of version 4, 4 bytes each: type (decimal digits: byte order, 0, kind of number, kind of
// matrix), rows, columns, 1 if complex, length of the name; then name and values. matio allocates
// the stated sizes without a check.
void check_version_4(const MappedFile& file) {
  constexpr std::size_t header = 20, max_type = 4052, value_bytes[] = {8, 4, 4, 2, 2, 1};
  const auto bytes = file.bytes();
  const Words as_little(bytes, true);
  const Words words(bytes, as_little.at(0) <= max_type);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t type = words.at(at), kind = type / 10 % 10, left = bytes.size() - at;
    if (left < header || type > max_type || kind > 5) return;  // matio reports the error
    const std::size_t rows = words.at(at + 4), cols = words.at(at + 8);
    const std::size_t parts = words.at(at + 12) != 0 ? 2 : 1, name = words.at(at + 16);
    const std::size_t each = value_bytes[kind] * parts;
    if (name > left - header) refuse_claim(file, at, name);
    const std::size_t room = (left - header - name) / each;
    if (rows > 0 && cols > room / rows) refuse_claim(file, at, rows);
    at += header + name + rows * cols * each;
  }
}

}  // namespace

void check_mat(const MappedFile& file) {
  constexpr std::size_t header = 128, max_ratio = 1032;  // of deflate
  const auto bytes = file.bytes();
  if (bytes.size() < header && bytes.starts_with("MATLAB 5.0"))
    refuse(file, "the MATLAB file is cut off", header);
  const std::string_view order = bytes.size() < header ? "" : bytes.substr(126, 2);
  if (order != "IM" && order != "MI") return check_version_4(file);
  const bool little = bytes.substr(124, 4) == std::string_view("\0\1IM", 4);
  if (!little && bytes.substr(124, 4) != std::string_view("\1\0MI", 4)) return;
  const Words words(bytes, little);
  std::size_t at = header;
  while (at + 8 <= bytes.size()) {
    const std::size_t length = words.at(at + 4);
    const std::string_view element = bytes.substr(at, 8 + length);
    const bool packed = words.at(at) == compressed;
    const std::string inside = packed ? inflate_beginning(element.substr(8)) : "";
    if (!cells_fit(Words(packed ? inside : element, little), packed ? max_ratio * length : length))
      refuse_claim(file, at, length);
    at += 8 + length;
  }
  if (at != bytes.size()) refuse(file, "the MATLAB file is cut off", at);
}

}  // namespace polyak::internal::io
