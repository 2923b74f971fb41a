#pragma once

// The one place where bytes enter and leave. Everything goes through ::open,
// ::read, ::write and friends, never through stdio or streams: their buffers
// hide errors until it is too late to report them.
// Gzip, both ways, through zlib.
// Lists that a signal handler can read: what is mapped, and what is being
// written. Fixed arrays of atomics, no locks; what finds no place is not listed
// and everything works as without a list.

#include <time.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "polyak/signal_safe.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// The bytes of an input, read-only. A regular file is mapped: nothing is read
/// until it is looked at. What cannot be mapped ("-", pipes, devices, /proc)
/// is read into memory.
class MappedFile {
 public:
  /// Throws no_input when the path cannot be opened or is a directory, io when
  /// reading fails.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  /// Bytes that are already here: decompressed data, or a fuzzer's.
  static std::shared_ptr<const MappedFile> from_memory(std::string name, std::string bytes);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }
  Index size() const { return static_cast<Index>(bytes_.size()); }

  /// A few of the bytes, read from the file: without mapping their pages and
  /// those around them. Throws io when the file has become shorter.
  void read(const void* from, std::size_t count, void* to) const;

  /// The bytes before `end` will not be needed soon: gives their pages back,
  /// so that streaming a file larger than memory leaves the rest alone.
  void forget_before(std::size_t end) const;

  /// Somebody has written to the file since it was mapped.
  bool changed() const;

 private:
  MappedFile(std::string name, int fd);
  MappedFile(std::string name, std::string bytes);
  bool map(int fd, std::size_t size);
  void read_all(int fd);

  std::string name_;
  std::string_view bytes_;
  std::string owned_;        // when read into memory
  void* mapping_ = nullptr;  // when mapped
  int descriptor_ = -1;      // of what is mapped
  timespec written_{};       // when, as it was mapped
};

/// Gives pages back behind a reader that goes through a file once.
class PageTrail {
 public:
  explicit PageTrail(const MappedFile& file) : file_(file) {}
  void reached(std::size_t position) {
    constexpr std::size_t step = 64u << 20;
    if (position < given_back_ + step) return;
    file_.forget_before(position);
    given_back_ = position;
  }

 private:
  const MappedFile& file_;
  std::size_t given_back_ = 0;
};

/// Where written bytes go; commit() makes them count.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void commit() = 0;
};

/// An output that is whole or not there. Bytes go to a temporary file beside
/// the target; commit() flushes it to the disk and renames it. Without
/// commit() the temporary file is removed and the old target left as it was.
///
/// "-" and /dev/stdout are standard output; that and whatever else is not a
/// regular file (a pipe, /dev/full) is written directly.
class OutputFile final : public ByteSink {
 public:
  explicit OutputFile(const std::string& path) : OutputFile(path, Companions{}) {}
  /// Names of its own beside a file that is rewritten again and again: what a
  /// killed process left unfinished is removed by the next, and what commit()
  /// replaces is kept. Left over is a file that is empty or begins with `mark`, and that
  /// no process writes; anything else of that name is an error and stays.
  struct Companions {
    std::string unfinished = {}, replaced = {}, mark = {};
  };
  OutputFile(const std::string& path, Companions companions);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) override;
  /// Rewrites earlier bytes, for a header that is known last.
  void write_at(Index offset, std::string_view bytes);
  void commit() override;

 private:
  OutputFile() = default;
  void open_direct();
  bool open_unfinished();
  bool remove_left_over();
  void open_beside();
  void flush();
  void close();
  [[noreturn]] void fail(const char* action, int error) const;

  std::string name_;    // for messages, as the caller wrote it
  std::string target_;  // symbolic links resolved
  std::string temp_;    // empty when written directly
  Companions companions_;
  int fd_ = -1;
  bool close_fd_ = true;
  Index written_ = 0;
};

/// "Permission denied" and the like, without the C library's shared buffer.
std::string error_text(int error);

bool is_gzip(std::string_view bytes);

/// The decompressed bytes, in memory. Damaged, truncated or absurdly
/// compressed data is bad_data. With `at_most` > 0, stops once that many bytes
/// are there: enough to look at a header.
std::shared_ptr<const MappedFile> gunzip(const MappedFile& file, std::size_t at_most = 0);

/// Compresses what is written into `file`.
std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> file);

/// Both strings stay where they are until it is forgotten.
void list_mapped(std::string_view bytes, const std::string& name);
void forget_mapped(std::string_view bytes);

/// `path` stays where it is until it is forgotten.
void list_unfinished(const std::string& path);
void forget_unfinished(const std::string& path);

}  // namespace polyak::io
