#pragma once

// Compression of pages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace polyak::io::parquet {

/// The numbers of the format.
enum class Codec : std::int32_t { none, snappy, gzip, lzo, brotli, lz4_of_hadoop, zstd, lz4_raw };

/// "snappy", or "codec 17" if there is no such codec.
std::string codec_name(std::int32_t codec);
bool can_unpack(std::int32_t codec);

/// No more bytes than this can come out of `packed` bytes.
std::size_t most_unpacked(Codec codec, std::size_t packed);

/// Unpacks to exactly `size` bytes; false if these bytes do not become as many. Both sizes are
/// below 2^31.
bool unpack(Codec codec, std::string_view packed, char* out, std::size_t size);

}  // namespace polyak::io::parquet
