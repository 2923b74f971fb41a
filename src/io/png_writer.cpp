#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "io/image.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
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

std::vector<std::uint8_t> grey(ConstView values, const Range& range) {
  const double span = range.white - range.black;
  std::vector<std::uint8_t> out;
  out.reserve(to_size(values.size()));
  for (Index i = 0; i < values.rows; ++i) {
    for (Index j = 0; j < values.cols; ++j) {
      const double t = span > 0.0 ? (values(i, j) - range.black) / span : 0.0;
      out.push_back(static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(t, 0.0, 1.0))));
    }
  }
  return out;
}

}  // namespace

// libpng's simplified interface: no longjmp, errors come back as text.
std::string encode_png(ConstView values, const ImageOptions& options, const std::string& name) {
  const auto pixels = grey(values, range_of(values, options));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(values.cols);
  image.height = static_cast<png_uint_32>(values.rows);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = 0;
  std::string bytes;
  const bool fits =
      values.rows > 0 && values.cols > 0 && values.rows < (1 << 24) && values.cols < (1 << 24);
  if (fits && png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr)) {
    bytes.resize(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr)) {
      bytes.resize(size);
      return bytes;
    }
  }
  const std::string why = fits ? std::string(image.message) : "a size that .png cannot hold";
  png_image_free(&image);
  throw Error(ErrorCode::io,
              {.what = "the picture cannot be written", .where = name, .found = why});
}

}  // namespace polyak::io
