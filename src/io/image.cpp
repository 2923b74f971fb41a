#include "io/image.hpp"

#include <png.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "io/npy/npy.hpp"
#include "io/tiff/late_tiff.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak {
namespace {

using io::TIFFClientOpen, io::TIFFClose, io::TIFFSetField, io::TIFFWriteDirectory,
    io::TIFFWriteScanline;

void check_finite(ConstView values, const std::string& path) {
  for (Index i = 0; i < values.rows; ++i)
    for (Index j = 0; j < values.cols; ++j)
      if (!std::isfinite(values(i, j)))
        throw Error(ErrorCode::bad_data, {.what = "a value of the image is not finite",
                                          .where = path,
                                          .found = "row " + std::to_string(i + 1) + ", column " +
                                                   std::to_string(j + 1)});
}

// A .npy array of three dimensions: image, row, column.
void write_stack(const std::string& path, ConstView values, Index count) {
  io::OutputFile file(path);
  file.write(io::npy_header_bytes("<f8", "(" + std::to_string(count) + ", " +
                                             std::to_string(values.rows / count) + ", " +
                                             std::to_string(values.cols) + ")"));
  for (Index i = 0; i < values.rows; ++i)
    file.write(
        {reinterpret_cast<const char*>(values.row(i)), to_size(values.cols) * sizeof(double)});
  file.commit();
}

}  // namespace

void write_image(const std::string& path, ConstView values, const ImageOptions& options,
                 Index count) {
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool png = name.ends_with(".png");
  if (name.ends_with(".npy") && count > 1) return write_stack(path, values, count);
  if (!png && !name.ends_with(".tif") && !name.ends_with(".tiff")) return write_array(path, values);
  check_finite(values, path);
  io::OutputFile file(path);
  file.write(png ? io::encode_png(values, options, path)
                 : io::encode_tiff(values, options, count, path));
  file.commit();
}

}  // namespace polyak

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

// A file in memory that libtiff writes to.
struct Memory {
  std::string bytes;
  std::size_t at = 0;
};
Memory& memory(thandle_t handle) { return *static_cast<Memory*>(handle); }

tmsize_t read(thandle_t handle, void* out, tmsize_t size) {
  Memory& m = memory(handle);
  const std::size_t left = m.bytes.size() - std::min(m.at, m.bytes.size());
  const std::size_t count = std::min(left, static_cast<std::size_t>(size));
  std::memcpy(out, m.bytes.data() + m.at, count);
  m.at += count;
  return static_cast<tmsize_t>(count);
}
tmsize_t write(thandle_t handle, void* in, tmsize_t size) {
  Memory& m = memory(handle);
  const std::size_t end = m.at + static_cast<std::size_t>(size);
  if (m.bytes.size() < end) m.bytes.resize(end);
  std::memcpy(m.bytes.data() + m.at, in, static_cast<std::size_t>(size));
  m.at = end;
  return size;
}
toff_t seek(thandle_t handle, toff_t offset, int whence) {
  Memory& m = memory(handle);
  const std::size_t base = whence == SEEK_CUR ? m.at : whence == SEEK_END ? m.bytes.size() : 0;
  m.at = base + static_cast<std::size_t>(offset);
  return m.at;
}
int close(thandle_t) { return 0; }
toff_t size_of(thandle_t handle) { return memory(handle).bytes.size(); }

void set_page(TIFF* tiff, ConstView page, double pixel) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(page.cols));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(page.rows));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(page.rows));
  TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
  TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1.0 / pixel);
  TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 1.0 / pixel);
}

bool write_page(TIFF* tiff, ConstView page, double pixel) {
  set_page(tiff, page, pixel);
  std::vector<float> line(to_size(page.cols));
  for (Index i = 0; i < page.rows; ++i) {
    std::copy_n(page.row(i), page.cols, line.begin());
    if (TIFFWriteScanline(tiff, line.data(), static_cast<std::uint32_t>(i), 0) < 0) return false;
  }
  return TIFFWriteDirectory(tiff) == 1;
}

// The sizes are checked and the image goes to memory: what is left to fail is an allocation.
[[noreturn]] void refuse_memory_for_image(const std::string& name) {
  throw Error(ErrorCode::out_of_memory,
              {.what = "there is no memory to write the image", .where = name});
}

}  // namespace

// The simplified interface of libpng: errors are returned as text, without longjmp.
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
  const std::string why = fits ? std::string(image.message) : "a size that .png does not support";
  png_image_free(&image);
  const bool without_memory = why.find("ut of memory") != std::string::npos ||
                              why.find("nsufficient memory") != std::string::npos;
  if (without_memory) refuse_memory_for_image(name);
  throw Error(ErrorCode::io, {.what = "the image cannot be written", .where = name, .found = why});
}

std::string encode_tiff(ConstView values, const ImageOptions& options, Index count,
                        const std::string& name) {
  Memory out;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(
      TIFFClientOpen(name.c_str(), "w", &out, read, write, seek, close, size_of, nullptr, nullptr),
      TIFFClose);
  const bool fits = count > 0 && values.rows % count == 0 && values.size() > 0 &&
                    values.size() < (Index{1} << 29);
  bool ok = tiff != nullptr && fits;
  const Index rows = ok ? values.rows / count : 0;
  for (Index k = 0; ok && k < count; ++k)
    ok = write_page(tiff.get(), {values.row(k * rows), rows, values.cols, values.stride},
                    options.pixel);
  tiff.reset();
  if (ok) return std::move(out.bytes);
  if (fits) refuse_memory_for_image(name);
  throw Error(ErrorCode::io, {.what = "the image cannot be written", .where = name});
}

}  // namespace polyak::io
