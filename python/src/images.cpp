// write_image() of polyak/images.hpp with zlib alone, in place of src/io/image.cpp, which needs
// libpng and libtiff: the pictures of reproduce() are PNG in shades of grey.

#include "polyak/images.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "io/file.hpp"
#include "polyak/error.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

struct Range {
  double black, white;
};

Range range_of(ConstView values, const ImageOptions& options) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Index i = 0; i < values.rows; ++i) {
    for (Index j = 0; j < values.cols; ++j) {
      low = std::min(low, values(i, j));
      high = std::max(high, values(i, j));
    }
  }
  return {options.black.value_or(low), options.white.value_or(high)};
}

void check_finite(ConstView values, const std::string& path) {
  for (Index i = 0; i < values.rows; ++i)
    for (Index j = 0; j < values.cols; ++j)
      if (!std::isfinite(values(i, j)))
        throw Error(ErrorCode::bad_data, {.what = "an image must hold finite numbers",
                                          .where = path,
                                          .found = std::to_string(values(i, j))});
}

// Rows of bytes, each after the number of its filter: 0, none.
std::string grey(ConstView values, const Range& range) {
  const double span = range.white - range.black;
  std::string out;
  out.reserve(to_size(values.rows * (values.cols + 1)));
  for (Index i = 0; i < values.rows; ++i) {
    out += '\0';
    for (Index j = 0; j < values.cols; ++j) {
      const double t = span > 0.0 ? (values(i, j) - range.black) / span : 0.0;
      out += static_cast<char>(std::lround(255.0 * std::clamp(t, 0.0, 1.0)));
    }
  }
  return out;
}

std::string four_bytes(std::uint64_t v) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((v >> shift) & 0xff);
  return out;
}

// Length, name and content, and the checksum of the last two.
std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
  return four_bytes(content.size()) + body +
         four_bytes(::crc32(0, bytes, static_cast<uInt>(body.size())));
}

std::string compressed(const std::string& text) {
  uLongf size = ::compressBound(text.size());
  std::string out(size, '\0');
  if (::compress(reinterpret_cast<Bytef*>(out.data()), &size,
                 reinterpret_cast<const Bytef*>(text.data()), text.size()) != Z_OK)
    throw Error(ErrorCode::out_of_memory, {.what = "the image cannot be compressed"});
  out.resize(size);
  return out;
}

// One channel of 8 bits, without interlacing.
std::string png(ConstView values, const ImageOptions& options) {
  const std::string header = four_bytes(static_cast<std::uint64_t>(values.cols)) +
                             four_bytes(static_cast<std::uint64_t>(values.rows)) +
                             std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         chunk("IDAT", compressed(grey(values, range_of(values, options)))) + chunk("IEND", "");
}

}  // namespace

void write_image(const std::string& path, ConstView values, const ImageOptions& options,
                 Index count) {
  constexpr Index most = 1 << 14;
  if (!path.ends_with(".png") || count != 1 || values.rows < 1 || values.cols < 1 ||
      values.rows > most || values.cols > most)
    throw Error(ErrorCode::usage, {.what = "this image is not written here", .where = path});
  check_finite(values, path);
  io::OutputFile file(path);
  file.write(png(values, options));
  file.commit();
}

}  // namespace polyak
