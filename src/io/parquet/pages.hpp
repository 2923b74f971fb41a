#pragma once

// The pages of a chunk: a header (a Thrift struct), then bytes that may be compressed. The first
// page may be the dictionary of the chunk. Data pages are of two versions:
//   1: levels and values, compressed together
//   2: levels, then values, which alone are compressed

#include <memory>
#include <optional>
#include <string_view>

#include "io/parquet/codec.hpp"
#include "io/parquet/footer.hpp"
#include "io/parquet/thrift.hpp"

namespace polyak::io::parquet {

enum class PageType : std::int32_t { data = 0, index = 1, dictionary = 2, data_2 = 3 };

enum class Encoding : std::int32_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta = 5,
  delta_length = 6,
  delta_bytes = 7,
  rle_dictionary = 8,
  byte_stream_split = 9
};
/// "DELTA_BINARY_PACKED", or "encoding 17".
std::string encoding_name(Encoding encoding);

struct PageHeader {
  PageType type = PageType::index;
  Index unpacked = -1, packed = -1;  ///< bytes
  std::optional<std::uint32_t> checksum = {};
  Index values = -1;  ///< including those that are missing
  Encoding encoding = Encoding::plain;
  Encoding level_encoding = Encoding::rle;
  // Of version 2:
  Index missing = 0;
  Index definition_bytes = 0, repetition_bytes = 0;
  bool compressed = true;
};

/// A page as it is in the file.
struct Page {
  PageHeader header;
  std::string_view stored;
  Place place;  ///< of the header
};

/// Memory for unpacked pages, which grows and is used again.
class PageBuffer {
 public:
  char* of_size(std::size_t size);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// The pages of a chunk, one after the other. Sizes of headers are checked against the chunk and
/// the codec.
class PageStream {
 public:
  /// A chunk that check_chunks has accepted.
  PageStream(const MappedFile& file, const Chunk& chunk, const Column& column);

  /// The next data or dictionary page. Pages of other types are passed over. Error bad_data at the
  /// end of the chunk: it is asked only while values are missing.
  Page next();
  Codec codec() const { return codec_; }
  /// The bytes of the file before this place are not needed any more.
  void release_before(std::size_t place);

 private:
  void check(const Page& page) const;

  const MappedFile& file_;
  std::size_t released_;
  std::string_view bytes_;  // that are left
  Place place_;             // of the first of them
  Codec codec_;
  Index values_;
};

/// Compares a page with its checksum, if it has one.
void check_sum(const Page& page);

/// Unpacks the part of a page that follows `skipped` bytes which are not compressed.
std::string_view unpacked_page(const Page& page, std::size_t skipped, Codec codec,
                               PageBuffer& buffer);

}  // namespace polyak::io::parquet
