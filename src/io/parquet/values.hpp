#pragma once

// The values of a data page, by their encoding. Missing values (null) are not among them.

#include <memory>
#include <span>
#include <string_view>

#include "io/parquet/footer.hpp"
#include "io/parquet/pages.hpp"

namespace polyak::io::parquet {

class Values {
 public:
  virtual ~Values() = default;
  /// The next `count` values as doubles; not more than the page has in all.
  virtual void read(double* out, Index count) = 0;
};

/// What the values of a page are read from. It lives as long as they are read.
struct EncodedPage {
  const Column& column;
  Place place;
  Encoding encoding;
  std::string_view bytes;  ///< without levels, unpacked
  Index count = 0;         ///< of the values that are not missing; at least 1
};

/// Values in a fixed number of bytes (PLAIN, BYTE_STREAM_SPLIT), booleans, indices of the
/// dictionary, differences. Error bad_data if the bytes do not hold `count` values, at once or
/// when they are read; and if the encoding is not supported.
std::unique_ptr<Values> open_values(const EncodedPage& page, std::span<const double> dictionary);

/// DELTA_BINARY_PACKED, of delta.cpp.
std::unique_ptr<Values> delta_values(const EncodedPage& page);

/// For messages: the bytes of a page do not hold its values.
[[noreturn]] void refuse_values(const Place& place, Encoding encoding, const char* why);

}  // namespace polyak::io::parquet
