#pragma once

// The file as bytes, all little-endian:
//   8  "polyakCP"
//   4  version of the format        4  zero
//   8  length of the manifest       8  number of doubles
//   16 XXH3-128 of the 32 bytes above and of everything below
//   manifest (JSON, padded with spaces to a multiple of 8), then the doubles.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace polyak::internal::checkpoint {

/// The first bytes of every checkpoint.
constexpr std::string_view mark = "polyakCP";

struct Contents {
  std::string manifest;
  std::vector<double> numbers;
};

std::string pack(const Contents& contents);

/// Error bad_data, which names the file and the fault, if it is not a valid checkpoint.
Contents unpack(const std::string& name, std::string_view bytes);

/// XXH3-128 as 32 hexadecimal digits.
std::string digest(std::string_view bytes);
/// Of bytes in parts: next() returns one after the other, and then an empty one.
std::string digest(const std::function<std::string_view()>& next);

}  // namespace polyak::internal::checkpoint
