#include "io/disk/row_streams.hpp"

#include <algorithm>
#include <new>

namespace polyak::io {
namespace {

constexpr Index block_bytes = 1 << 20;
constexpr Index most_blocks = 10;  // of a range: eight megabytes in progress feed a fast disk
constexpr Index least_blocks = 4;
constexpr std::size_t most_ranges = 1024;
constexpr std::size_t kept = 2;  // blocks before the one in use

}  // namespace

struct RowStreams::Block final : RowRead {
  explicit Block(RowStreams& o) : owner(o) {}
  void ended() override { owner.ended(*this); }

  RowStreams& owner;
  bool here = false;      // the read has ended
  bool unwanted = false;  // to be released as soon as it has ended and nobody uses it
  Index pins = 0;
};

struct RowStreams::Range {
  Index first, last, next;  // next: the first row of the next block to be started
  Index used;               // the time of the last use
  bool is_read = false;
  std::deque<Block*> blocks = {};  // one after the other, up to `next`
};

RowStreams::RowStreams(const DiskFile& file, const RowLayout& layout, ReadQueue& queue,
                       double bytes, Index threads)
    : file_(file), layout_(layout), queue_(queue), max_ranges_(to_size(threads + 1)) {
  const double each = bytes / static_cast<double>(max_ranges_);
  blocks_per_range_ =
      std::clamp<Index>(static_cast<Index>(each / block_bytes), least_blocks, most_blocks);
  const double block = std::min<double>(block_bytes, each / static_cast<double>(blocks_per_range_));
  block_rows_ = std::max<Index>(1, static_cast<Index>(block) / layout.row_bytes);
  max_blocks_ = max_ranges_ * to_size(blocks_per_range_);
  unused_.reserve(max_blocks_);  // release() must not need memory
}

RowStreams::~RowStreams() {
  std::unique_lock lock(mutex_);
  some_ended_.wait(lock, [this] { return in_progress_ == 0; });
}

double RowStreams::bytes() const {
  return static_cast<double>(max_blocks_) *
         static_cast<double>(block_rows_ * layout_.row_bytes + 2 * file_.alignment());
}

// The range with a block of this row, or whose next block begins with it.
RowStreams::Range* RowStreams::find(Index row) {
  for (const auto& range : ranges_) {
    const Index begin = range->blocks.empty() ? range->next : range->blocks.front()->first;
    const bool next = row == range->next && range->next < range->last;
    if ((row >= begin && row < range->next) || next) return range.get();
  }
  return nullptr;
}

bool RowStreams::has(Index row) {
  const std::lock_guard lock(mutex_);
  return find(row) != nullptr;
}

void RowStreams::release(Block* block) {
  block->unwanted = true;
  if (!block->here || block->pins > 0) return;
  block->here = block->unwanted = false;
  unused_.push_back(block);
  some_ended_.notify_all();  // a thread may wait for memory
}

void RowStreams::retire(Range& range, std::size_t before) {
  for (; before > 0; --before) {
    release(range.blocks.front());
    range.blocks.pop_front();
  }
}

void RowStreams::close(Range& range) {
  retire(range, range.blocks.size());
  std::erase_if(ranges_, [&](const auto& each) { return each.get() == &range; });
}

// Closes the range that was not used for the longest time; but where that one is being read, there
// are more threads than expected, and each of them gets fewer blocks.
void RowStreams::make_room() {
  Range& oldest =
      **std::min_element(ranges_.begin(), ranges_.end(),
                         [](const auto& a, const auto& b) { return a->used < b->used; });
  const bool in_use = oldest.is_read && uses_ - oldest.used < 8 * std::ssize(ranges_);
  if (!in_use || max_ranges_ >= most_ranges) return close(oldest);
  const std::size_t blocks = std::max(max_blocks_, (max_ranges_ + 1) * to_size(least_blocks));
  unused_.reserve(blocks);
  max_blocks_ = blocks;
  ++max_ranges_;
  blocks_per_range_ = std::max(least_blocks, static_cast<Index>(max_blocks_ / max_ranges_));
}

RowStreams::Range& RowStreams::open(Index first, Index last) {
  while (ranges_.size() >= max_ranges_) make_room();
  ranges_.push_back(std::make_unique<Range>(Range{first, last, first, ++uses_}));
  return *ranges_.back();
}

// Without memory it ends early, and throws only if the range has no block at all.
void RowStreams::refill(Range& range, std::vector<Read*>& started) {
  try {
    started.reserve(to_size(blocks_per_range_));
    add_blocks(range, started);
  } catch (const std::bad_alloc&) {
    if (range.blocks.empty()) throw;
  }
}

void RowStreams::add_blocks(Range& range, std::vector<Read*>& started) {
  while (range.next < range.last && std::ssize(range.blocks) < blocks_per_range_) {
    if (unused_.empty()) {
      if (blocks_.size() >= max_blocks_) return;
      blocks_.push_back(std::make_unique<Block>(*this));
      unused_.push_back(blocks_.back().get());
    }
    Block* const block = unused_.back();
    // Blocks end at multiples of their length, so that they are the same for any ranges.
    const Index end = std::min(range.last, (range.next / block_rows_ + 1) * block_rows_);
    block->prepare(file_, layout_, range.next, end);
    range.blocks.push_back(block);
    unused_.pop_back();
    range.next = end;
    started.push_back(block);
    ++in_progress_;
  }
}

void RowStreams::expect(Index first, Index last) {
  std::vector<Read*> started;
  {
    const std::lock_guard lock(mutex_);
    if (first >= last || find(first)) return;
    refill(open(first, last), started);
  }
  if (!started.empty()) queue_.start(started);
}

void RowStreams::ended(Block& block) {
  const std::lock_guard lock(mutex_);
  block.here = true;
  if (block.unwanted) release(&block);
  --in_progress_;
  some_ended_.notify_all();  // under the lock: the destructor may be waiting for it
}

// Whether another thread will release a block: one is being read, or in use.
bool RowStreams::blocks_will_be_released() const {
  const auto in_use = [](const auto& block) { return block->pins > 0; };
  return in_progress_ > 0 || std::any_of(blocks_.begin(), blocks_.end(), in_use);
}

// No memory for one more block: waits for another thread to release one. Where none will, the range
// that was not used for the longest time gives its blocks up; it is read again when it is needed.
void RowStreams::wait_for_block(const Range& here, std::unique_lock<std::mutex>& lock) {
  if (blocks_will_be_released()) return some_ended_.wait(lock);
  Range* oldest = nullptr;
  for (const auto& range : ranges_)
    if (range.get() != &here && !range->blocks.empty() && (!oldest || range->used < oldest->used))
      oldest = range.get();
  if (!oldest) throw std::bad_alloc();
  close(*oldest);
}

// Waits for the block of `row`.
RowStreams::Block* RowStreams::pin(Index row, Index last) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Range* range = find(row);
    if (!range) range = &open(row, last);
    range->used = ++uses_;
    range->is_read = true;
    std::size_t k = 0;
    while (k < range->blocks.size() && range->blocks[k]->last <= row) ++k;
    if (k > kept) {
      retire(*range, k - kept);
      k = kept;
    }
    std::vector<Read*> started;
    refill(*range, started);
    if (k == range->blocks.size()) {  // memory is short: that of the blocks before
      retire(*range, k);
      k = 0;
      refill(*range, started);
    }
    Block* const block = k < range->blocks.size() ? range->blocks[k] : nullptr;
    if (block) ++block->pins;
    if (!started.empty()) {
      lock.unlock();
      queue_.start(started);
      lock.lock();
    }
    if (!block) {
      wait_for_block(*range, lock);
      continue;
    }
    some_ended_.wait(lock, [&] { return block->here; });
    if (!block->failed()) return block;
    if (--block->pins == 0 && block->unwanted) release(block);
    block->refuse(file_, layout_);  // it stays in its range: later requests fail as well
  }
}

void RowStreams::unpin(Block* block) {
  const std::lock_guard lock(mutex_);
  --block->pins;
  if (block->unwanted) release(block);
  some_ended_.notify_all();  // a thread may wait because this block was in use
}

// At the end of a range nothing of it is kept; after as many rows as the file has, it is tested for
// changes.
void RowStreams::used(const Pin& pin, Index count, Index row) {
  {
    const std::lock_guard lock(mutex_);
    used_rows_ += count;
    all_used_rows_ += count;
    for (const auto& range : ranges_) {
      if (range->last != row || range->blocks.empty() || range->blocks.back() != pin.block())
        continue;
      close(*range);
      break;
    }
    if (used_rows_ < layout_.rows) return;
    used_rows_ = 0;
  }
  file_.check_unchanged();
}

double RowStreams::sweeps() const {
  return static_cast<double>(all_used_rows_) / static_cast<double>(layout_.rows);
}

RowStreams::Pin::Pin(RowStreams& owner, Index row, Index last)
    : owner_(owner), block_(owner.pin(row, last)) {}

RowStreams::Pin::~Pin() { owner_.unpin(block_); }

Index RowStreams::Pin::last() const { return block_->last; }

const char* RowStreams::Pin::rows(Index row) const {
  return block_->rows() + (row - block_->first) * owner_.layout_.row_bytes;
}

}  // namespace polyak::io
