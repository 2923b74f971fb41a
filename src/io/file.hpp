#pragma once

// Input and output of bytes. All files are opened, read and written here, by the system calls
// ::open, ::read, ::write and not by stdio or streams, whose buffers report errors late.

#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "polyak/signal_safe.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// An input that stays open during a run; check_inputs_unchanged() tests all of them.
class WatchedInput {
 public:
  /// For messages: the path, or "standard input".
  virtual const std::string& name() const = 0;
  /// True if the file has been written to, or has another length, since it was opened.
  virtual bool changed() const = 0;

 protected:
  ~WatchedInput() = default;
  void watch();
  void stop_watching();
};

/// Which file a descriptor is of, whatever its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// The bytes of an input, read-only. A regular file is mapped into memory: a page is read from
/// the disk when it is first accessed. Inputs that cannot be mapped ("-", pipes, devices, /proc)
/// are read into memory.
class MappedFile final : public WatchedInput {
 public:
  /// Error no_input if the path cannot be opened or is a directory, io if reading fails,
  /// out_of_memory if an input that cannot be mapped is larger than `most_bytes`, or than most of
  /// the machine's memory.
  static std::shared_ptr<const MappedFile> open(
      const std::string& path, double most_bytes = std::numeric_limits<double>::infinity());
  /// Bytes that are in memory already: decompressed data, or the input of a fuzz target.
  static std::shared_ptr<const MappedFile> from_memory(std::string name, std::string bytes);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& name() const override { return name_; }
  std::string_view bytes() const { return bytes_; }
  Index size() const { return static_cast<Index>(bytes_.size()); }

  /// Copies `count` bytes at the address `from` of the mapping with ::pread, so that the pages
  /// around them are not loaded. Error io if the file has become shorter.
  void read(const void* from, std::size_t count, void* to) const;

  /// Releases the pages between two bytes, which are not needed any more: a file larger than memory
  /// can then be streamed without displacing other data.
  void release(std::size_t first, std::size_t end) const;
  void release_before(std::size_t end) const { release(0, end); }

  /// True if it is a regular file that was mapped; name() is then its path.
  bool mapped() const { return mapping_ != nullptr; }
  FileIdentity identity() const { return identity_; }

  bool changed() const override;

 private:
  MappedFile(std::string name, int fd, double most_bytes);
  MappedFile(std::string name, std::string bytes);
  bool map(int fd, std::size_t size);
  void read_all(int fd, double most_bytes);

  std::string name_;
  std::string_view bytes_;
  std::string owned_;        // the bytes, if they were read into memory
  void* mapping_ = nullptr;  // the address, if mapped
  int descriptor_ = -1;      // of the mapped file
  timespec written_{};       // modification time when it was mapped
  FileIdentity identity_;    // of a file
};

/// Releases the pages behind a sequential reader, every 64 MB.
class PageReleaser {
 public:
  explicit PageReleaser(const MappedFile& file) : file_(file) {}
  void release_up_to(std::size_t position) {
    constexpr std::size_t step = 64u << 20;
    if (position < released_ + step) return;
    file_.release_before(position);
    released_ = position;
  }

 private:
  const MappedFile& file_;
  std::size_t released_ = 0;
};

/// A destination of bytes; the output is valid after commit().
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void commit() = 0;
};

class Temporary;

/// An output file that is either complete or absent. Bytes go to a temporary file in the folder
/// of the target; commit() flushes it to the disk and renames it to the target. Without commit()
/// the temporary file is removed and an existing target is unchanged.
///
/// "-" is standard output. Standard output and other descriptors (/dev/fd/3), pipes and devices are
/// written directly, without a temporary file.
class OutputFile final : public ByteSink {
 public:
  explicit OutputFile(const std::string& path) : OutputFile(path, Companions{}) {}
  /// For a file that is rewritten many times (a checkpoint): `unfinished` is the fixed name of
  /// the temporary file, and commit() renames the previous version to `replaced`. A temporary
  /// file that a killed process has left is removed by the next process, if it is not locked
  /// and is empty or begins with `mark`; any other file of that name is an error and is kept.
  struct Companions {
    std::string unfinished = {}, replaced = {}, mark = {};
  };
  OutputFile(const std::string& path, Companions companions);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) override;
  /// Overwrites bytes written before: for a header whose numbers are known at the end.
  void write_at(Index offset, std::string_view bytes);
  void commit() override;

 private:
  OutputFile() = default;
  void open_descriptor(int descriptor);
  void open_file();
  void open_direct();
  bool create(const std::string& name, bool locked);
  bool remove_abandoned();
  void open_beside();
  void rename();
  void flush();
  void close();
  [[noreturn]] void fail(const char* action, int error) const;

  std::string name_;                      // the path as given, for messages
  std::string target_;                    // symbolic links resolved
  std::unique_ptr<Temporary> temporary_;  // none if written directly
  Companions companions_;
  int fd_ = -1;
  bool close_fd_ = true;
  Index written_ = 0;
  Index start_ = 0;  // position of the first byte in the file
};

/// A descriptor for reading. Error no_input or io if the path cannot be opened.
int open_for_reading(const std::string& path);

/// The memory that an input may take which has to be copied.
double most_of_memory();
/// Error out_of_memory: the input has more bytes than `most`.
[[noreturn]] void refuse_large_input(const std::string& name, double most);

/// The text of an errno, such as "Permission denied"; thread-safe, unlike strerror.
std::string error_text(int error);

/// True if the bytes begin with the signature of gzip.
bool is_gzip(std::string_view bytes);

/// The bytes of a file that gzip or zstd has compressed, in memory. Error bad_data if the data is
/// damaged, truncated or expands more than 200 times. With `at_most` > 0, only the first `at_most`
/// bytes: enough for a header.
std::shared_ptr<const MappedFile> decompress(const MappedFile& file, std::size_t at_most = 0);

/// A sink that compresses its bytes and writes them to `file`.
std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> file);

// Lists of mapped inputs and of temporary files that a signal handler can read: fixed arrays of
// atomics without locks. When a list is full, further entries are not registered; only the
// signal handler then lacks them.

/// Both strings must stay at their address until the mapping is unregistered.
void register_mapping(std::string_view bytes, const std::string& name);
void unregister_mapping(std::string_view bytes);

/// `path` must stay at its address until it is unregistered.
void register_temporary(const std::string& path);
void unregister_temporary(const std::string& path);
/// Of any output, for output_bytes().
void count_output(std::uint64_t bytes);

}  // namespace polyak::io
