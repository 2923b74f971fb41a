#include "io/disk/read_queue.hpp"

#if defined(POLYAK_URING)

#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <thread>

#include "core/without_signals.hpp"
#include "io/file.hpp"

namespace polyak::internal::io {
namespace {

// One thread owns the ring. It sleeps in the kernel until a read has ended, or until start()
// writes to the event, on which a read of the ring waits as well.
class UringQueue final : public ReadQueue {
 public:
  UringQueue(const DiskFile& file, unsigned depth) : file_(file), depth_(depth) {
    error_ = -::io_uring_queue_init(depth + 1, &ring_, 0);
    if (error_ != 0) return;
    event_ = ::eventfd(0, EFD_CLOEXEC);
    if (event_ < 0) {
      error_ = errno;
    } else if (!can_read()) {
      error_ = ENOSYS;
    } else {
      const WithoutSignals masked;
      try {
        thread_ = std::thread([this] { work(); });
        return;
      } catch (const std::exception&) {  // no thread, or no memory for it
        error_ = ENOMEM;
      }
    }
    ::io_uring_queue_exit(&ring_);
  }

  ~UringQueue() override {
    if (::getpid() != process_) {
      if (thread_.joinable()) thread_.detach();
    } else if (thread_.joinable()) {
      {
        const std::lock_guard lock(mutex_);
        stop_ = true;
      }
      wake();
      thread_.join();
      ::io_uring_queue_exit(&ring_);
    }
    if (event_ >= 0) ::close(event_);
  }

  /// 0, or the errno of why it does not work.
  int error() const { return error_; }

  void start(std::span<Read* const> reads) override {
    bool sleeps = false;
    {
      const std::lock_guard lock(mutex_);
      for (Read* const read : reads) waiting_.add(read);
      sleeps = room_ && !std::exchange(woken_, true);
    }
    if (sleeps) wake();
  }

  std::string name() const override { return "io_uring"; }
  Index depth() const override { return depth_; }

 private:
  // Kernels before 5.6 have io_uring without the operation used here.
  bool can_read() {
    io_uring_probe* const probe = ::io_uring_get_probe_ring(&ring_);
    const bool supported = probe && ::io_uring_opcode_supported(probe, IORING_OP_READ);
    ::io_uring_free_probe(probe);
    return supported;
  }

  void wake() const {
    const std::uint64_t one = 1;
    while (::write(event_, &one, sizeof one) < 0 && errno == EINTR) continue;
  }

  void listen() {
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    ::io_uring_prep_read(entry, event_, &event_value_, sizeof event_value_, 0);
    ::io_uring_sqe_set_data(entry, nullptr);
  }

  // Moves reads to the ring while it has room; false if the queue is to end and nothing is left.
  bool refill() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    while (!waiting_.empty() && (in_progress_ < depth_ || stop_)) {
      Read& read = *waiting_.take();
      if (stop_) {
        read.error = ECANCELED;
        dropped_.add(&read);
        continue;
      }
      io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
      // Of a longer read, the rest is read by complete().
      const auto bytes = static_cast<unsigned>(std::min<Index>(read.bytes, 1 << 30));
      ::io_uring_prep_read(entry, file_.descriptor(), read.to, bytes,
                           static_cast<std::uint64_t>(read.offset));
      ::io_uring_sqe_set_data(entry, &read);
      ++in_progress_;
    }
    room_ = in_progress_ < depth_;
    return !stop_ || in_progress_ > 0;
  }

  void work() {
    listen();
    for (;;) {
      const bool more = refill();
      while (!dropped_.empty()) dropped_.take()->ended();
      if (!more) return;
      const int submitted = ::io_uring_submit_and_wait(&ring_, 1);
      if (submitted < 0 && submitted != -EINTR && submitted != -EAGAIN && submitted != -EBUSY)
        ::usleep(1000);  // no memory for the kernel's own records: the entries stay in the ring
      take_ended();
    }
  }

  void take_ended() {
    io_uring_cqe* entry = nullptr;
    while (::io_uring_peek_cqe(&ring_, &entry) == 0 && entry) {
      auto* const read = static_cast<Read*>(::io_uring_cqe_get_data(entry));
      const int result = entry->res;
      ::io_uring_cqe_seen(&ring_, entry);
      if (!read) {
        listen();
        continue;
      }
      --in_progress_;
      complete(file_, *read, std::max(result, 0));
      read->ended();
    }
  }

  const DiskFile& file_;
  const unsigned depth_;
  const int process_ = ::getpid();
  int error_ = 0, event_ = -1;
  std::uint64_t event_value_ = 0;
  io_uring ring_{};
  std::mutex mutex_;
  ReadList waiting_;
  bool stop_ = false;
  bool woken_ = false;  // the event was written since the last refill
  bool room_ = true;    // fewer reads in progress than the depth
  unsigned in_progress_ = 0;
  ReadList dropped_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ReadQueue> make_uring_queue(const DiskFile& file, unsigned depth,
                                            std::string& why) {
  auto queue = std::make_unique<UringQueue>(file, depth);
  if (queue->error() == 0) return queue;
  why = error_text(queue->error());
  return nullptr;
}

}  // namespace polyak::internal::io

#else

namespace polyak::internal::io {

std::unique_ptr<ReadQueue> make_uring_queue(const DiskFile&, unsigned, std::string& why) {
  why = "this program was built without liburing";
  return nullptr;
}

}  // namespace polyak::internal::io

#endif
