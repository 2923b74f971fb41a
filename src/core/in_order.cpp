#include "core/in_order.hpp"

#include <utility>

namespace polyak {

InOrder::InOrder(Index chunks, Index most_kept, std::function<void(std::span<const double>)> use)
    : most_kept_(most_kept),
      use_(std::move(use)),
      pieces_(to_size(chunks)),
      ended_(to_size(chunks), false) {}

// The chunk whose turn it is never waits, and was begun before all others that are not done: the
// threads that wait will go on.
void InOrder::add(Index chunk, std::span<const double> numbers) {
  std::unique_lock lock(mutex_);
  const Index count = std::ssize(numbers);
  changed_.wait(lock, [&] { return failed_ || chunk == turn_ || kept_ + count <= most_kept_; });
  if (failed_) return;
  if (chunk != turn_) {
    pieces_[to_size(chunk)].emplace_back(numbers.begin(), numbers.end());
    kept_ += count;
    return;
  }
  lock.unlock();
  use_kept(chunk);
  use_(numbers);
}

// In its turn only: no other thread touches these pieces then.
void InOrder::use_kept(Index chunk) {
  for (Pieces& pieces = pieces_[to_size(chunk)]; !pieces.empty(); pieces.pop_front()) {
    use_(pieces.front());
    const std::lock_guard lock(mutex_);
    kept_ -= std::ssize(pieces.front());
    changed_.notify_all();
  }
}

// The chunks after it may have ended already: then nobody else uses their numbers.
void InOrder::end(Index chunk) {
  std::unique_lock lock(mutex_);
  if (failed_) return;
  ended_[to_size(chunk)] = true;
  while (turn_ < std::ssize(ended_) && ended_[to_size(turn_)]) {
    if (turn_ < chunk) return;  // of another thread, which is about to come here
    const Index now = turn_;
    lock.unlock();
    use_kept(now);
    lock.lock();
    if (failed_) return;
    ++turn_;
    changed_.notify_all();
  }
}

void InOrder::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

}  // namespace polyak
