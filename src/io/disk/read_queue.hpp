#pragma once

// Reads of a file that are in progress at the same time. A disk answers single reads of a page
// in about 0.1 ms, but it works on a hundred of them at once, so that the rate is a hundred
// times higher if it always has so many to do.
//
// Two ways of keeping them in progress: io_uring, where one thread passes lists of reads to the
// kernel; and a pool of threads that each wait in ::pread, for kernels and containers that forbid
// io_uring. The results are the same.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "io/disk/disk_file.hpp"

namespace polyak::internal::io {

/// One read. Offset, length and address are aligned (DiskFile::alignment).
class Read {
 public:
  virtual ~Read() = default;
  /// Called once by a thread of the queue when the read has ended. Must not throw.
  virtual void ended() = 0;

  Index offset = 0;
  Index bytes = 0;   // to be read
  Index needed = 0;  // of them, those that the file must have: the file may end before the others
  char* to = nullptr;

  // The result.
  int error = 0;            // errno; 0: all needed bytes are there
  Index error_offset = 0;   // in the file, if error != 0
  bool file_ended = false;  // the file has become shorter: it ends at error_offset

  bool failed() const { return error != 0 || file_ended; }

  Read* next = nullptr;  // in a list of waiting reads
};

/// Reads in the order in which they were added; takes no memory.
class ReadList {
 public:
  bool empty() const { return !first_; }
  void add(Read* read) {
    read->next = nullptr;
    (first_ ? last_->next : first_) = read;
    last_ = read;
  }
  Read* take() {
    Read* const out = first_;
    first_ = out->next;
    return out;
  }

 private:
  Read *first_ = nullptr, *last_ = nullptr;
};

struct ReadCounts {
  Index reads = 0;
  double bytes = 0.0;
};

class ReadQueue {
 public:
  virtual ~ReadQueue() = default;

  /// Starts reads, in this order. They must stay valid until they have ended. Takes no memory, so
  /// that it cannot fail in the middle.
  virtual void start(std::span<Read* const> reads) = 0;
  /// "io_uring" or "threads".
  virtual std::string name() const = 0;
  virtual Index depth() const = 0;

  ReadCounts counts() const { return {reads_, static_cast<double>(bytes_)}; }

 protected:
  /// Reads the bytes from `got` on by ::pread, after whatever went wrong, and counts the read.
  void complete(const DiskFile& file, Read& read, Index got);

 private:
  std::atomic<Index> reads_ = 0, bytes_ = 0;
};

/// Which way, in the words of the option --disk-reader.
enum class Reader { automatic, io_uring, threads };

/// Waiting reads are dropped (ended with ECANCELED) on destruction, those in progress are waited
/// for. Error usage if io_uring is asked for where it does not work.
std::unique_ptr<ReadQueue> make_read_queue(const DiskFile& file, Reader reader);

std::unique_ptr<ReadQueue> make_thread_queue(const DiskFile& file, int threads);
/// Null, and the reason in `why`, if the kernel or this build does not have io_uring.
std::unique_ptr<ReadQueue> make_uring_queue(const DiskFile& file, unsigned depth, std::string& why);

}  // namespace polyak::internal::io
