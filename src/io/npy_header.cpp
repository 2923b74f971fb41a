#include "io/npy.hpp"
#include "io/text.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

constexpr std::size_t largest_header = 1u << 16;

// The length of the header: two bytes in version 1, four afterwards.
std::size_t header_length(std::string_view bytes, std::size_t width) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  return length;
}

[[noreturn]] void refuse(const MappedFile& file, const std::string& what, const std::string& found,
                         const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = file.name(), .found = found, .expected = expected});
}

void check_size(const MappedFile& file, const NpyHeader& header) {
  check_dimensions(header.rows, header.cols, file.size(), file.name());
  const Index count = checked_product(header.rows, header.cols, file.name());
  const Index values =
      checked_product(count, static_cast<Index>(item_size(header.type)), file.name());
  const Index found = file.size() - static_cast<Index>(header.offset);
  if (values != found)
    refuse(file, "the file does not have the length its header says",
           std::to_string(found) + " bytes of values", std::to_string(values));
}

}  // namespace

NpyHeader parse_npy_header(const MappedFile& file, bool any_dimensions) {
  const auto bytes = file.bytes();
  constexpr std::string_view magic = "\x93NUMPY";
  if (!bytes.starts_with(magic) || bytes.size() < 12)
    refuse(file, "this is not a whole .npy file", excerpt(bytes.substr(0, 8)), "\\x93NUMPY");
  const int version = bytes[6];
  if (version < 1 || version > 3)
    refuse(file, "the .npy file has an unknown version", std::to_string(version), "1, 2 or 3");
  const std::size_t width = version == 1 ? 2 : 4;
  const std::size_t length = header_length(bytes, width);
  const std::size_t offset = 8 + width + length;
  if (length > largest_header || offset > bytes.size())
    refuse(file, "the header of the .npy file is cut off or too long",
           std::to_string(length) + " bytes", "at most 65536 and within the file");
  NpyHeader header = parse_npy_dictionary(bytes.substr(8 + width, length), file.name());
  header.offset = offset;
  if (header.dimensions > 2 && !any_dimensions)
    refuse(file, "the array does not have one or two dimensions",
           std::to_string(header.dimensions) + " dimensions", "1 or 2");
  check_size(file, header);
  return header;
}

}  // namespace polyak::io
