#include <algorithm>
#include <array>
#include <vector>

#include "io/npy/npy.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

struct TypeEntry {
  std::string_view descr;
  NpyType type;
  std::size_t size;
  std::string_view name;
};
constexpr std::array types{
    TypeEntry{"<f4", NpyType::f4, 4, "float"},  TypeEntry{"<f8", NpyType::f8, 8, "double"},
    TypeEntry{"|i1", NpyType::i1, 1, "int8"},   TypeEntry{"<i2", NpyType::i2, 2, "int16"},
    TypeEntry{"<i4", NpyType::i4, 4, "int32"},  TypeEntry{"<i8", NpyType::i8, 8, "int64"},
    TypeEntry{"|u1", NpyType::u1, 1, "uint8"},  TypeEntry{"<u2", NpyType::u2, 2, "uint16"},
    TypeEntry{"<u4", NpyType::u4, 4, "uint32"}, TypeEntry{"|b1", NpyType::b1, 1, "bool"}};

constexpr std::size_t max_dimensions = 32;

const TypeEntry& entry(NpyType type) {
  return *std::find_if(types.begin(), types.end(), [&](auto& t) { return t.type == type; });
}

// Parses the Python dictionary of three entries that NumPy writes. Nothing is evaluated.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : name_(name), rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      entry_of_dictionary();
      if (!take(',') && !peek('}')) refuse("a comma is missing in the header");
    }
    skip_space();
    if (!rest_.empty()) refuse("the dictionary in the header is followed by other text");
    if (seen_ != 7) refuse("the header lacks descr, fortran_order or shape");
    return header_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& found = {},
                           const std::string& expected = {}, const std::string& hint = {}) const {
    throw Error(ErrorCode::bad_data, {.what = what,
                                      .where = name_,
                                      .found = found.empty() ? excerpt(rest_) : found,
                                      .expected = expected,
                                      .hint = hint});
  }

  void skip_space() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) < 4)
      rest_.remove_prefix(1);
  }
  bool peek(char c) {
    skip_space();
    return rest_.starts_with(c);
  }
  bool take(char c) {
    const bool found = peek(c);
    if (found) rest_.remove_prefix(1);
    return found;
  }
  void expect(char c) {
    if (!take(c)) refuse("the header is not valid", {}, std::string("'") + c + "'");
  }

  std::string_view quoted() {
    const char quote = peek('"') ? '"' : '\'';
    expect(quote);
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) refuse("a string in the header does not end");
    const auto text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void entry_of_dictionary() {
    const auto key = quoted();
    expect(':');
    if (key == "descr") return once(1, &HeaderParser::descr);
    if (key == "fortran_order") return once(2, &HeaderParser::order);
    if (key == "shape") return once(4, &HeaderParser::shape);
    refuse("the header has an unknown entry", excerpt(key), "descr, fortran_order, shape");
  }
  void once(int bit, void (HeaderParser::*read)()) {
    if ((seen_ & bit) != 0) refuse("the header has an entry twice");
    seen_ |= bit;
    (this->*read)();
  }

  void descr() {
    if (peek('[')) refuse("the array has a structured type", {}, "numbers of one type");
    const auto text = quoted();
    for (const auto& t : types) {
      // A type of one byte has no byte order, so any byte-order character is accepted.
      const bool bytes = t.size == 1 && text.size() == 3 && text.substr(1) == t.descr.substr(1);
      if (text != t.descr && !bytes) continue;
      header_.type = t.type;
      return;
    }
    refuse_type(text);
  }

  [[noreturn]] void refuse_type(std::string_view text) const {
    const std::string expected = "<f8, <f4, <i8 or another plain number";
    const char kind = text.size() > 1 ? text[1] : ' ';
    const std::string found = excerpt(text);
    if (kind == 'O')
      refuse("the array holds Python objects, which are never unpickled", found, expected);
    if (kind == 'c') refuse("the array is complex", found, expected);
    if (text.starts_with('>'))
      refuse("the array is big-endian", found, expected, "in NumPy: A.astype('<f8')");
    refuse("the type of the array is not supported", found, expected, "in NumPy: A.astype('<f8')");
  }

  void order() {
    skip_space();
    header_.fortran_order = rest_.starts_with("True");
    if (!header_.fortran_order && !rest_.starts_with("False"))
      refuse("fortran_order is neither True nor False");
    rest_.remove_prefix(header_.fortran_order ? 4 : 5);
  }

  void shape() {
    std::vector<Index> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(size());
      if (sizes.size() > max_dimensions) refuse("the array has more than 32 dimensions");
      if (!take(',') && !peek(')')) refuse("the shape in the header does not end");
    }
    if (sizes.empty()) refuse("the array does not have one or two dimensions", "0");
    header_.dimensions = static_cast<int>(sizes.size());
    header_.rows = sizes.front();
    header_.cols = 1;
    for (std::size_t k = 1; k < sizes.size(); ++k)
      header_.cols = checked_product(header_.cols, sizes[k], name_);
    header_.shape = std::move(sizes);
  }

  Index size() {
    skip_space();
    Index value = 0;
    const char* begin = rest_.data();
    const char* end = parse_index(begin, begin + rest_.size(), value);
    if (end == nullptr || value < 0) refuse("a size in the header is not a non-negative integer");
    rest_.remove_prefix(static_cast<std::size_t>(end - begin));
    take('L');  // integers of Python 2 may end in L
    return value;
  }

  std::string name_;
  std::string_view rest_;
  NpyHeader header_;
  int seen_ = 0;
};

constexpr std::size_t largest_header = 1u << 16;

// The length of the header: two bytes in version 1, four bytes in later versions.
std::size_t header_length(std::string_view bytes, std::size_t width) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  return length;
}

[[noreturn]] void refuse_npy(const std::string& name, const std::string& what,
                             const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = name, .found = found, .expected = expected});
}

void check_size(const MappedFile& file, const NpyHeader& header) {
  check_dimensions(header.rows, header.cols, file.size(), file.name());
  const Index count = checked_product(header.rows, header.cols, file.name());
  const Index values =
      checked_product(count, static_cast<Index>(item_size(header.type)), file.name());
  const Index found = file.size() - static_cast<Index>(header.offset);
  if (values != found)
    refuse_npy(file.name(), "the length of the file does not match its header",
               std::to_string(found) + " bytes of values", std::to_string(values));
}

}  // namespace

std::size_t item_size(NpyType type) { return entry(type).size; }
std::string type_name(NpyType type) { return std::string(entry(type).name); }

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name) {
  return HeaderParser(text, name).parse();
}

NpyStart npy_start(std::string_view bytes, const std::string& name) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!bytes.starts_with(magic) || bytes.size() < 12)
    refuse_npy(name, "not a .npy file, or truncated", excerpt(bytes.substr(0, 8)), "\\x93NUMPY");
  const int version = bytes[6];
  if (version < 1 || version > 3)
    refuse_npy(name, "the .npy file has an unknown version", std::to_string(version), "1, 2 or 3");
  const std::size_t width = version == 1 ? 2 : 4;
  const std::size_t length = header_length(bytes, width);
  const std::size_t offset = 8 + width + length;
  if (length > largest_header || offset > bytes.size())
    refuse_npy(name, "the header of the .npy file is truncated or too long",
               std::to_string(length) + " bytes", "at most 65536 and within the file");
  return {bytes.substr(8 + width, length), offset};
}

NpyHeader parse_npy_header(const MappedFile& file, bool any_dimensions) {
  const NpyStart start = npy_start(file.bytes(), file.name());
  NpyHeader header = parse_npy_dictionary(start.dictionary, file.name());
  header.offset = start.offset;
  if (header.dimensions > 2 && !any_dimensions)
    refuse_npy(file.name(), "the array does not have one or two dimensions",
               std::to_string(header.dimensions) + " dimensions", "1 or 2");
  check_size(file, header);
  return header;
}

}  // namespace polyak::internal::io
