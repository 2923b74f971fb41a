// MATLAB's files. Version 5: a header of 128 bytes, then elements of 8 bytes and the length they
// state. Version 4: one variable after the other, each with a header of its own.

#include <zlib.h>

#include <array>
#include <string>
#include <string_view>

#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

constexpr std::size_t compressed = 15;

// Of an element or of what is inside: numbers of four bytes in the file's order.
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

// The beginning of what is compressed, as far as it goes.
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

// Arrays of arrays hold one element of 8 bytes or more for each: matio would
// look for them all, however many there are said to be.
bool holds_its_cells(const Words& words, std::size_t most_bytes) {
  const std::size_t kind = words.at(16) & 0xff, size_bytes = words.at(28);
  if (kind < 1 || kind > 3 || words.at(24) != 5) return true;  // cell, struct, object; sizes
  std::size_t cells = 1;
  for (std::size_t k = 0; k < size_bytes / 4 && k < 32; ++k) {
    const std::size_t n = words.at(32 + 4 * k);
    if (n > 0 && cells > most_bytes / n) return false;
    cells *= n;
  }
  return cells <= most_bytes / 8 + 1;
}

[[noreturn]] void refuse(const MappedFile& file, const std::string& what, std::size_t expected) {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = file.name(),
                                    .found = std::to_string(file.size()) + " bytes",
                                    .expected = "an end at " + std::to_string(expected)});
}

[[noreturn]] void refuse_claim(const MappedFile& file, std::size_t at, std::size_t length) {
  throw Error(ErrorCode::bad_data,
              {.what = "a variable of the MATLAB file claims more than its length can hold",
               .where = file.name(),
               .found = std::to_string(length) + " bytes from byte " + std::to_string(at)});
}

// Type (its digits: byte order, 0, kind of number, kind of matrix), rows, columns, whether it is
// complex, and the length of the name, 4 bytes each; then name and values. matio would make room
// for whatever they say.
void check_version_4(const MappedFile& file) {
  constexpr std::size_t header = 20, most_type = 4052, value_bytes[] = {8, 4, 4, 2, 2, 1};
  const auto bytes = file.bytes();
  const Words as_little(bytes, true);
  const Words words(bytes, as_little.at(0) <= most_type);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t type = words.at(at), kind = type / 10 % 10, left = bytes.size() - at;
    if (left < header || type > most_type || kind > 5) return;  // matio tells
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
  constexpr std::size_t header = 128, most_ratio = 1032;  // of deflate
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
    if (!holds_its_cells(Words(packed ? inside : element, little),
                         packed ? most_ratio * length : length))
      refuse_claim(file, at, length);
    at += 8 + length;
  }
  if (at != bytes.size()) refuse(file, "the MATLAB file is cut off", at);
}

}  // namespace polyak::io
