#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "io/image.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

// A file in memory, for libtiff to write to.
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

}  // namespace

std::string encode_tiff(ConstView values, const ImageOptions& options, Index count,
                        const std::string& name) {
  Memory out;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(
      TIFFClientOpen(name.c_str(), "w", &out, read, write, seek, close, size_of, nullptr, nullptr),
      TIFFClose);
  bool ok = tiff != nullptr && count > 0 && values.rows % count == 0 && values.size() > 0 &&
            values.size() < (Index{1} << 29);
  const Index rows = ok ? values.rows / count : 0;
  for (Index k = 0; ok && k < count; ++k)
    ok = write_page(tiff.get(), {values.row(k * rows), rows, values.cols, values.stride},
                    options.pixel);
  tiff.reset();
  if (ok) return std::move(out.bytes);
  throw Error(ErrorCode::io, {.what = "the picture cannot be written", .where = name});
}

}  // namespace polyak::io
