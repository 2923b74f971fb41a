#pragma once

// The team of threads. A job is a number of chunks. The assignment of chunks to threads
// changes no result, because each chunk writes only its own part, and partial sums are
// combined afterwards in a fixed order.
//
// Workers spin briefly for the next job (starting a job then costs about a microsecond),
// then yield, then sleep until woken: an idle team costs nothing, and on an oversubscribed
// machine other programs can run. A job ends when all chunks are done; it does not wait for
// a worker that has claimed no chunk, for example because another program uses its core.

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

class ThreadTeam {
 public:
  /// threads <= 0 takes all cores this process may use. Error out_of_memory if the system
  /// cannot start another thread.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// The cores that this process may use.
  static int cores();
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(chunk) for chunk = 0 .. count-1, in any order, on any thread;
  /// returns when all are done. The first exception thrown is rethrown here.
  /// Not reentrant: body must not call run.
  template <class Body>
  void run(Index count, Body&& body) {
    if (workers_.empty() || count <= 1) {
      for (Index chunk = 0; chunk < count; ++chunk) body(chunk);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run_erased(
        count, [](void* b, Index chunk) { (*static_cast<Plain*>(b))(chunk); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Call = void (*)(void*, Index);
  void run_erased(Index count, Call call, void* body);
  void work();
  void stop_workers();  // stops and joins those that were started
  void run_chunks();    // until none is left

  std::vector<std::thread> workers_;
  const int process_;  // the process of the workers
  // The current job: written before left_, read only by threads that have claimed a chunk.
  Call call_ = nullptr;
  void* body_ = nullptr;
  Index count_ = 0;
  alignas(64) std::atomic<Index> left_{0};  // unclaimed chunks; none if negative
  alignas(64) std::atomic<Index> done_{0};
  alignas(64) std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace polyak
