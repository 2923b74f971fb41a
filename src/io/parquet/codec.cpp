#include "io/parquet/codec.hpp"

#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>

namespace polyak::io::parquet {
namespace {

constexpr std::array names{"none", "snappy", "gzip", "lzo", "brotli", "lz4 in Hadoop's frames",
                           "zstd", "lz4_raw"};

bool unpack_snappy(std::string_view packed, char* out, std::size_t size) {
  std::size_t stated = 0;
  return ::snappy_uncompressed_length(packed.data(), packed.size(), &stated) == SNAPPY_OK &&
         stated == size &&
         ::snappy_uncompress(packed.data(), packed.size(), out, &stated) == SNAPPY_OK;
}

// A page may consist of several members of gzip.
bool unpack_gzip(std::string_view packed, char* out, std::size_t size) {
  constexpr int gzip_or_zlib = 15 + 32;
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  if (::inflateInit2(&stream, gzip_or_zlib) != Z_OK) throw std::bad_alloc();
  int status = Z_OK;
  while (status == Z_OK) {
    status = ::inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END && stream.avail_in > 0) status = ::inflateReset(&stream);
  }
  ::inflateEnd(&stream);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return status == Z_STREAM_END && stream.avail_out == 0;
}

bool unpack_zstd(std::string_view packed, char* out, std::size_t size) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(::ZSTD_createDCtx(),
                                                                        ::ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  return ::ZSTD_decompressDCtx(context.get(), out, size, packed.data(), packed.size()) == size;
}

bool unpack_lz4(std::string_view packed, char* out, std::size_t size) {
  const int made = ::LZ4_decompress_safe(packed.data(), out, static_cast<int>(packed.size()),
                                         static_cast<int>(size));
  return made >= 0 && static_cast<std::size_t>(made) == size;
}

}  // namespace

std::string codec_name(std::int32_t codec) {
  if (codec < 0 || codec >= std::ssize(names)) return "codec " + std::to_string(codec);
  return names[static_cast<std::size_t>(codec)];
}

bool can_unpack(std::int32_t codec) {
  switch (static_cast<Codec>(codec)) {
    case Codec::none:
    case Codec::snappy:
    case Codec::gzip:
    case Codec::zstd:
    case Codec::lz4_raw: return true;
    case Codec::lzo:
    case Codec::brotli:
    case Codec::lz4_of_hadoop: break;
  }
  return false;
}

// Snappy: three bytes copy up to 64. LZ4: a byte adds up to 255 to the length of a copy. Deflate:
// 258 bytes from two bits. Zstandard: a block of 128 KiB from four bytes.
std::size_t most_unpacked(Codec codec, std::size_t packed) {
  constexpr std::size_t start = 1024;
  switch (codec) {
    case Codec::snappy: return start + 22 * packed;
    case Codec::lz4_raw: return start + 255 * packed;
    case Codec::gzip: return start + 1032 * packed;
    case Codec::zstd: return start + (std::size_t{1} << 15) * packed;
    default: return packed;
  }
}

bool unpack(Codec codec, std::string_view packed, char* out, std::size_t size) {
  switch (codec) {
    case Codec::none:
      if (packed.size() != size) return false;
      std::memcpy(out, packed.data(), size);
      return true;
    case Codec::snappy: return unpack_snappy(packed, out, size);
    case Codec::gzip: return unpack_gzip(packed, out, size);
    case Codec::zstd: return unpack_zstd(packed, out, size);
    case Codec::lz4_raw: return unpack_lz4(packed, out, size);
    default: return false;
  }
}

}  // namespace polyak::io::parquet
