#pragma once

// One TIFF file, read page by page from a mapped file.

#include <memory>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/tiff/late_tiff.hpp"

namespace polyak::io {

struct TiffPage {
  Index rows = 0;
  Index cols = 0;
  int bits = 0;
  int format = SAMPLEFORMAT_UINT;

  bool operator==(const TiffPage&) const = default;
};
std::string type_name(const TiffPage& page);

class TiffFile {
 public:
  explicit TiffFile(std::shared_ptr<const MappedFile> file);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  /// Offsets of the pages, which all have the size and type of the first.
  const std::vector<std::uint64_t>& pages() const { return pages_; }
  const TiffPage& page() const { return page_; }
  /// Rows [first, last) of a page, all columns, as doubles.
  void read(std::size_t page, Index first, Index last, double* out);

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  TiffPage page_header() const;
  void read_strips(Index first, Index last, double* out);
  void read_tiles(Index first, Index last, double* out);
  [[noreturn]] void refuse(const std::string& what, const std::string& found = {},
                           const std::string& expected = {}) const;

  std::shared_ptr<const MappedFile> file_;
  std::size_t at_ = 0;          // read position, for libtiff
  mutable std::string reason_;  // the first error message of libtiff
  std::unique_ptr<TIFF, Close> tiff_;
  std::vector<std::uint64_t> pages_;
  TiffPage page_;

  friend struct TiffClient;
};

}  // namespace polyak::io
