#include "io/tiff/tiff_page.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "io/stored.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {

// The callbacks of libtiff for input, in place of system calls.
struct TiffClient {
  static TiffFile& self(thandle_t handle) { return *static_cast<TiffFile*>(handle); }
  static tmsize_t read(thandle_t handle, void* out, tmsize_t size) {
    TiffFile& f = self(handle);
    const auto bytes = f.file_->bytes();
    if (f.at_ >= bytes.size() || size <= 0) return 0;
    const std::size_t count = std::min(bytes.size() - f.at_, static_cast<std::size_t>(size));
    std::memcpy(out, bytes.data() + f.at_, count);
    f.at_ += count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffFile& f = self(handle);
    const std::size_t base = whence == SEEK_CUR   ? f.at_
                             : whence == SEEK_END ? f.file_->bytes().size()
                                                  : 0;
    return f.at_ = base + static_cast<std::size_t>(offset);
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return self(handle).file_->bytes().size(); }
  // Keeps the first error message, which is the cause. Exceptions must not pass through libtiff.
  static int keep_first_error(TIFF*, void* data, const char*, const char* format,
                              va_list arguments) {
    std::array<char, 200> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    std::string& reason = *static_cast<std::string*>(data);
    try {
      if (reason.empty()) reason = text.data();
    } catch (...) {
    }
    return 1;
  }
  static int ignore(TIFF*, void*, const char*, const char*, va_list) { return 1; }
};

namespace {

template <class T>
void convert(const unsigned char* from, Index count, double* out) {
  for (Index j = 0; j < count; ++j, from += sizeof(T)) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    out[j] = static_cast<double>(value);
  }
}

void to_doubles(const TiffPage& page, const unsigned char* from, Index count, double* out) {
  const bool sign = page.format == SAMPLEFORMAT_INT;
  if (page.format == SAMPLEFORMAT_IEEEFP && page.bits == 32)
    return convert<float>(from, count, out);
  if (page.format == SAMPLEFORMAT_IEEEFP) return convert<double>(from, count, out);
  switch (page.bits) {
    case 8:
      return sign ? convert<std::int8_t>(from, count, out)
                  : convert<std::uint8_t>(from, count, out);
    case 16:
      return sign ? convert<std::int16_t>(from, count, out)
                  : convert<std::uint16_t>(from, count, out);
    default:
      return sign ? convert<std::int32_t>(from, count, out)
                  : convert<std::uint32_t>(from, count, out);
  }
}

bool is_supported(const TiffPage& p) {
  if (p.format == SAMPLEFORMAT_IEEEFP) return p.bits == 32 || p.bits == 64;
  const bool whole = p.format == SAMPLEFORMAT_UINT || p.format == SAMPLEFORMAT_INT;
  return whole && (p.bits == 8 || p.bits == 16 || p.bits == 32);
}

using Options = std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)>;

}  // namespace

std::string type_name(const TiffPage& page) {
  if (page.format == SAMPLEFORMAT_IEEEFP) return page.bits == 32 ? "float" : "double";
  return (page.format == SAMPLEFORMAT_INT ? "int" : "uint") + std::to_string(page.bits);
}

TiffFile::TiffFile(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {
  const Options options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), TiffClient::keep_first_error, &reason_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), TiffClient::ignore, nullptr);
  // "m": libtiff must not map the file itself.
  tiff_.reset(TIFFClientOpenExt(file_->name().c_str(), "rm", this, TiffClient::read,
                                TiffClient::write, TiffClient::seek, TiffClient::close,
                                TiffClient::size, nullptr, nullptr, options.get()));
  if (tiff_ == nullptr) refuse("not a TIFF file, or truncated", reason_);
  page_ = page_header();
  do {
    if (page_header() != page_)
      refuse(
          "the pages differ in size or type",
          "page " + std::to_string(pages_.size() + 1) + ": " + std::to_string(page_header().rows) +
              " x " + std::to_string(page_header().cols) + " " + type_name(page_header()),
          std::to_string(page_.rows) + " x " + std::to_string(page_.cols) + " " + type_name(page_));
    pages_.push_back(TIFFCurrentDirOffset(tiff_.get()));
  } while (TIFFReadDirectory(tiff_.get()) == 1);
  if (!reason_.empty()) refuse("a page of the TIFF file is broken", reason_);
}

void TiffFile::refuse(const std::string& what, const std::string& found,
                      const std::string& expected) const {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = file_->name(),
                                    .found = found.empty() ? "" : excerpt(found),
                                    .expected = expected});
}

TiffPage TiffFile::page_header() const {
  std::uint32_t rows = 0, cols = 0;
  std::uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT;
  TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &rows);
  TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &cols);
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLEFORMAT, &format);
  const TiffPage page{rows, cols, bits, format};
  if (rows == 0 || cols == 0) refuse("an image of the TIFF file has no pixels");
  if (samples != 1)
    refuse("the TIFF file is in colour", std::to_string(samples) + " channels", "one channel");
  if (!is_supported(page))
    refuse("the value type of the TIFF file is not supported", std::to_string(bits) + " bits",
           "8, 16 or 32-bit integers, or float");
  check_claimed_size(std::array<Index, 2>{page.rows, page.cols}, file_->size(), file_->name(),
                     bits / 8);
  return page;
}

void TiffFile::read(std::size_t page, Index first, Index last, double* out) {
  reason_.clear();
  if (TIFFSetSubDirectory(tiff_.get(), pages_.at(page)) != 1)
    refuse("page " + std::to_string(page + 1) + " cannot be read", reason_);
  if (TIFFIsTiled(tiff_.get()) != 0)
    read_tiles(first, last, out);
  else
    read_strips(first, last, out);
}

void TiffFile::read_strips(Index first, Index last, double* out) {
  std::uint32_t height = 0;
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &height);
  const Index rows = std::clamp<Index>(height, 1, page_.rows);
  const Index line = page_.cols * (page_.bits / 8);
  std::vector<unsigned char> strip(to_size(rows * line));
  for (Index top = first / rows * rows; top < last; top += rows) {
    const Index bottom = std::min(page_.rows, top + rows), bytes = (bottom - top) * line;
    const auto number = TIFFComputeStrip(tiff_.get(), static_cast<std::uint32_t>(top), 0);
    if (TIFFReadEncodedStrip(tiff_.get(), number, strip.data(), bytes) != bytes)
      refuse("a strip of the TIFF file cannot be read", reason_);
    for (Index i = std::max(first, top); i < std::min(last, bottom); ++i)
      to_doubles(page_, strip.data() + (i - top) * line, page_.cols,
                 out + (i - first) * page_.cols);
  }
}

void TiffFile::read_tiles(Index first, Index last, double* out) {
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &height);
  check_claimed_size(std::array<Index, 2>{width, height}, file_->size(), file_->name(),
                     page_.bits / 8);
  const Index rows = height, cols = width, bytes = page_.bits / 8;
  if (rows == 0 || cols == 0) refuse("the tiles of the TIFF file are empty");
  std::vector<unsigned char> tile(to_size(rows * cols * bytes));
  for (Index top = first / rows * rows; top < last; top += rows) {
    for (Index left = 0; left < page_.cols; left += cols) {
      const auto number = TIFFComputeTile(tiff_.get(), static_cast<std::uint32_t>(left),
                                          static_cast<std::uint32_t>(top), 0, 0);
      if (TIFFReadEncodedTile(tiff_.get(), number, tile.data(), std::ssize(tile)) !=
          std::ssize(tile))
        refuse("a tile of the TIFF file cannot be read", reason_);
      const Index count = std::min(cols, page_.cols - left);
      for (Index i = std::max(first, top); i < std::min(last, top + rows); ++i)
        to_doubles(page_, tile.data() + (i - top) * cols * bytes, count,
                   out + (i - first) * page_.cols + left);
    }
  }
}

}  // namespace polyak::internal::io
