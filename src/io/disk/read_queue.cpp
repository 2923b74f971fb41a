#include "io/disk/read_queue.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

#include "core/without_signals.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::internal::io {
namespace {

constexpr unsigned uring_depth = 128;
constexpr int pool_threads = 64;  // each with one read in progress

// The number of bytes read, or -1 with errno.
Index read_at(int fd, char* to, Index bytes, Index offset) {
  ssize_t got;
  do got = ::pread(fd, to, to_size(bytes), offset);
  while (got < 0 && errno == EINTR);
  return got;
}

class ThreadQueue final : public ReadQueue {
 public:
  ThreadQueue(const DiskFile& file, int threads) : file_(file), process_(::getpid()) {
    const WithoutSignals masked;
    threads_.reserve(to_size(threads));
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {  // no thread, or no memory for it
      if (!threads_.empty()) return;   // fewer threads are only slower
      throw Error(ErrorCode::out_of_memory,
                  {.what = "the system refused a thread", .where = file.name()});
    }
  }

  ~ThreadQueue() override {
    if (::getpid() != process_) {
      for (auto& thread : threads_) thread.detach();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void start(std::span<Read* const> reads) override {
    {
      const std::lock_guard lock(mutex_);
      for (Read* const read : reads) waiting_.add(read);
    }
    if (reads.size() == 1)
      wake_.notify_one();
    else
      wake_.notify_all();
  }

  std::string name() const override { return "threads"; }
  Index depth() const override { return std::ssize(threads_); }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Read& read = *waiting_.take();
      const bool drop = stop_;
      lock.unlock();
      if (drop)
        read.error = ECANCELED;
      else
        perform(read);
      read.ended();
      lock.lock();
    }
  }

  void perform(Read& read) {
    const Index got = read_at(file_.descriptor(), read.to, read.bytes, read.offset);
    complete(file_, read, std::max<Index>(got, 0));
  }

  const DiskFile& file_;
  const int process_;
  std::mutex mutex_;
  std::condition_variable wake_;
  ReadList waiting_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

// A direct read may end early at a page that is in memory, and some file systems refuse one
// although others worked: the rest is read in the usual way. So is a read that failed, by pages,
// which finds the first byte that cannot be read.
void ReadQueue::complete(const DiskFile& file, Read& read, Index got) {
  constexpr Index page = 4096;
  while (got < read.needed) {
    const Index rest = read.needed - got;
    Index more = read_at(file.plain_descriptor(), read.to + got, rest, read.offset + got);
    if (more < 0 && rest > page)
      more = read_at(file.plain_descriptor(), read.to + got, page, read.offset + got);
    if (more <= 0) {
      read.error = more < 0 ? errno : 0;
      read.file_ended = more == 0;
      read.error_offset = read.offset + got;
      break;
    }
    got += more;
  }
  ++reads_;
  bytes_ += got;
}

std::unique_ptr<ReadQueue> make_thread_queue(const DiskFile& file, int threads) {
  return std::make_unique<ThreadQueue>(file, threads);
}

std::unique_ptr<ReadQueue> make_read_queue(const DiskFile& file, Reader reader) {
  if (reader == Reader::threads) return make_thread_queue(file, pool_threads);
  std::string why;
  if (auto queue = make_uring_queue(file, uring_depth, why)) return queue;
  if (reader == Reader::automatic) return make_thread_queue(file, pool_threads);
  throw Error(ErrorCode::usage,
              {.what = "io_uring does not work here",
               .where = option_name("disk-reader", "io_uring"),
               .found = why,
               .hint = option_name("disk-reader", "threads") + " reads by a pool of threads"});
}

}  // namespace polyak::internal::io
