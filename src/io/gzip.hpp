#pragma once

// Gzip, both ways, through zlib.

#include <memory>
#include <string>

#include "io/file.hpp"

namespace polyak::io {

bool is_gzip(std::string_view bytes);

/// The decompressed bytes, in memory. Damaged, truncated or absurdly
/// compressed data is bad_data. With `at_most` > 0, stops once that many bytes
/// are there: enough to look at a header.
std::shared_ptr<const MappedFile> gunzip(const MappedFile& file, std::size_t at_most = 0);

/// Compresses what is written into `file`.
std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> file);

}  // namespace polyak::io
