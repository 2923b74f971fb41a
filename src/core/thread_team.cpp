#include "core/thread_team.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "core/without_signals.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak {
namespace {

// A waiting thread spins, then yields its core to others, then sleeps.
constexpr int spins = 2000;  // a few microseconds: longer than the gaps within an iteration
constexpr int yields = 200;

template <class Ready>
bool wait_briefly(Ready ready) {
  for (int i = 0; i < spins; ++i) {
    if (ready()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (int i = 0; i < yields; ++i) {
    if (ready()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

// Under taskset or in a container fewer than the machine has. Threads are not pinned: two programs
// that both pinned theirs to the first cores would share those and leave the others idle.
int ThreadTeam::cores() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int threads) : process_(::getpid()) {
  if (threads <= 0) threads = cores();
  const WithoutSignals masked;
  try {
    workers_.reserve(to_size(threads - 1));
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const std::string started = std::to_string(size());
    stop_workers();
    throw Error(ErrorCode::out_of_memory, {.what = "the system refused a thread",
                                           .where = option_name("threads"),
                                           .found = started + " threads",
                                           .expected = std::to_string(threads)});
  } catch (...) {
    stop_workers();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { stop_workers(); }

// A forked process has no copies of the workers, so there is nothing to join.
void ThreadTeam::stop_workers() {
  if (::getpid() != process_) {
    for (auto& worker : workers_) worker.detach();
    return;
  }
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (auto& worker : workers_) worker.join();
}

// A thread claims a chunk by decrementing left_ from a positive value. The round cannot end
// before the claimed chunk is counted in done_, so call_ and body_ are valid meanwhile.
void ThreadTeam::run_chunks() {
  Index done_here = 0;
  for (;;) {
    const Index left = left_.fetch_sub(1, std::memory_order_acquire);
    if (left <= 0) break;
    try {
      call_(body_, count_ - left);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    ++done_here;
  }
  if (done_here == 0) return;
  done_.fetch_add(done_here, std::memory_order_release);
  done_.notify_one();
}

void ThreadTeam::work() {
  std::uint64_t seen = 0;
  for (;;) {
    const auto new_round = [&] { return round_.load(std::memory_order_acquire) != seen; };
    if (!wait_briefly(new_round)) round_.wait(seen, std::memory_order_acquire);
    if (!new_round()) continue;
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    run_chunks();
  }
}

void ThreadTeam::run_erased(Index count, Call call, void* body) {
  call_ = call;
  body_ = body;
  count_ = count;
  done_.store(0, std::memory_order_relaxed);
  left_.store(count, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  run_chunks();
  const auto done = [&] { return done_.load(std::memory_order_acquire) == count; };
  while (!wait_briefly(done)) {
    const Index now = done_.load(std::memory_order_acquire);
    if (now != count) done_.wait(now, std::memory_order_acquire);
  }
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace polyak
