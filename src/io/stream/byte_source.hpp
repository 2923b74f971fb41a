#pragma once

// Bytes that are read once, in order: of a file, a pipe, or what is decompressed from them.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "polyak/types.hpp"

namespace polyak::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// For messages: the path, or "standard input".
  virtual const std::string& name() const = 0;
  /// Fills the beginning of `to` and returns the number of bytes, 0 only at the end. Error io if
  /// reading fails, bad_data if compressed bytes are damaged.
  virtual std::size_t read(std::span<char> to) = 0;
  /// Bytes taken from the file, and its size, where that is known.
  virtual Index position() const = 0;
  virtual std::optional<Index> size() const = 0;
};

/// "-" is standard input. Error no_input if the path cannot be opened or is a directory. A regular
/// file is watched: check_inputs_unchanged() tells whether it was written to meanwhile.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
/// Bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::string name, std::string_view bytes);
/// `first`, and after it the rest of the source.
std::unique_ptr<ByteSource> with_beginning(std::string first, std::unique_ptr<ByteSource> rest);

enum class Compression { none, gzip, zstd };
Compression compression_of(std::string_view bytes);

/// The source, decompressed where its first bytes say so. Error bad_data if the bytes are damaged,
/// cut off, or expand more than is plausible.
struct Decompressed {
  std::unique_ptr<ByteSource> bytes;
  Compression from = Compression::none;
};
Decompressed decompressed(std::unique_ptr<ByteSource> source);

// The decompressors, which take a source of compressed bytes.
std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> source);
std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> source);

/// Compressed bytes that a decompressor has read and not used, and what its input may become.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteSource> source);

  const std::string& name() const { return source_->name(); }
  const ByteSource& source() const { return *source_; }
  /// Bytes that wait; reads more if there are none. Empty only at the end.
  std::string_view waiting();
  void use(std::size_t count);
  Index used() const { return used_; }  ///< compressed bytes so far

  /// Counts bytes that were made from them. Error bad_data if these are too many.
  void made(std::size_t count);
  Index produced() const { return produced_; }

  [[noreturn]] void refuse(const char* what, std::string found, std::string expected = {}) const;
  [[noreturn]] void refuse_cut() const;
  [[noreturn]] void refuse_damaged() const;

 private:
  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  std::size_t first_ = 0, end_ = 0;
  Index used_ = 0, produced_ = 0;
};

}  // namespace polyak::io
