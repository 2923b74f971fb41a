#include "io/disk/row_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/file.hpp"

namespace polyak::internal::io {
namespace {

constexpr Index short_row = 512;           // bytes; shorter rows share a slot
constexpr Index largest_read = 64 * 1024;  // of several units together
constexpr Index largest_gap = 8 * 1024;    // read and thrown away rather than read twice
constexpr double least_in_progress = 1 << 17;

Index sets_for(double bytes, Index unit_bytes, Index units, Index ways) {
  const double fit = bytes / (static_cast<double>(unit_bytes) * static_cast<double>(ways));
  const double all = std::ceil(1.25 * static_cast<double>(units) / static_cast<double>(ways));
  return std::max<Index>(1, static_cast<Index>(std::min(fit, all)));
}

}  // namespace

void RowRead::refuse(const DiskFile& file, const RowLayout& layout) const {
  const Index row = std::clamp((error_offset - layout.offset) / layout.row_bytes, first, last - 1);
  const std::string place =
      "row " + std::to_string(row + 1) + " (byte " + std::to_string(error_offset) + ")";
  if (file_ended)
    throw Error(ErrorCode::io, {.what = "the input has become shorter while it was read",
                                .where = file.name() + ", " + place,
                                .found = "its end at byte " + std::to_string(error_offset),
                                .expected = std::to_string(file.size()) + " bytes",
                                .hint = "run again, without changes to the file during the run"});
  throw Error(ErrorCode::io, {.what = "cannot read the input",
                              .where = file.name() + ", " + place,
                              .found = error_text(error)});
}

// Units that are next to each other, or nearly so.
class RowCache::UnitRead final : public RowRead {
 public:
  explicit UnitRead(RowCache& owner) : owner_(owner) {}
  void ended() override { owner_.ended(*this); }

  /// Small buffers are kept for the next read.
  void release() {
    constexpr Index kept = 8 * 1024;
    units.clear();
    release_memory(kept);
  }

  std::vector<Index> units;  // ascending

 private:
  RowCache& owner_;
};

RowCache::RowCache(const DiskFile& file, const RowLayout& layout, ReadQueue& queue, double bytes)
    : file_(file),
      layout_(layout),
      queue_(queue),
      unit_rows_(
          std::clamp<Index>(short_row / layout.row_bytes, 1, std::max<Index>(1, layout.rows))),
      unit_bytes_(unit_rows_ * layout.row_bytes),
      units_((layout.rows + unit_rows_ - 1) / unit_rows_),
      sets_(sets_for(bytes, unit_bytes_, units_, ways)),
      max_in_progress_(
          std::max({least_in_progress, bytes / 8.0, 2.0 * static_cast<double>(unit_bytes_)})),
      slots_(to_size(sets_ * ways)),
      turn_(to_size(sets_), 0),
      memory_(static_cast<char*>(std::calloc(to_size(sets_ * ways), to_size(unit_bytes_)))) {
  if (!memory_) throw std::bad_alloc();
}

RowCache::~RowCache() {
  std::unique_lock lock(mutex_);
  some_ended_.wait(lock, [this] { return in_progress_ == 0; });
}

double RowCache::bytes() const {
  return static_cast<double>(slots_.size()) *
             static_cast<double>(to_size(unit_bytes_) + sizeof(Slot)) +
         2.0 * max_in_progress_;
}

// A quarter of the slots: then hardly any set gets more rows than it has slots.
Index RowCache::rows_ahead() const {
  const double each =
      static_cast<double>(RowRead::span_of(file_, layout_, 0, std::min(unit_rows_, layout_.rows)));
  return std::max<Index>(
      1, std::min(sets_ * ways / 4, static_cast<Index>(max_in_progress_ / (2.0 * each))));
}

Index RowCache::set_of(Index unit) const {
  const std::uint64_t mixed = static_cast<std::uint64_t>(unit) * 0x9e3779b97f4a7c15ull;
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((Wide{mixed} * static_cast<std::uint64_t>(sets_)) >> 64);
}

RowCache::Slot* RowCache::find(Index unit) {
  Slot* const set = slots_.data() + set_of(unit) * ways;
  for (Slot* slot = set; slot < set + ways; ++slot)
    if (slot->unit == unit) return slot;
  return nullptr;
}

char* RowCache::memory(const Slot& slot) {
  return memory_.get() + (&slot - slots_.data()) * unit_bytes_;
}

// Null if every slot of the set waits for its row.
RowCache::Slot* RowCache::take_slot(Index unit) {
  const Index set = set_of(unit);
  std::uint8_t& turn = turn_[to_size(set)];
  for (Index step = 0; step < 2 * ways; ++step) {
    Slot& slot = slots_[to_size(set * ways + turn)];
    turn = static_cast<std::uint8_t>((turn + 1) % ways);
    if (slot.state == State::reading || slot.state == State::awaited) continue;
    if (std::exchange(slot.used, false)) continue;
    slot = {unit, State::reading, true};
    return &slot;
  }
  return nullptr;
}

RowCache::UnitRead* RowCache::unused_read() {
  if (unused_.empty()) {
    // Room in both lists of ended reads: ended() must not need memory.
    unused_.reserve(reads_.size() + 1);
    failed_.reserve(reads_.size() + 1);
    reads_.push_back(std::make_unique<UnitRead>(*this));
    return reads_.back().get();
  }
  UnitRead* const out = unused_.back();
  unused_.pop_back();
  return out;
}

bool RowCache::has_room(Index unit) const {
  const Index from = unit * unit_rows_, to = std::min(layout_.rows, from + unit_rows_);
  const Index span = RowRead::span_of(file_, layout_, from, to);
  return in_progress_bytes_ + static_cast<double>(span) <= max_in_progress_;
}

// Adds a unit, which has a slot, to the read that is being put together, or begins another one.
void RowCache::add(UnitRead*& current, Index unit, std::vector<Read*>& started) {
  const Index from = unit * unit_rows_, to = std::min(layout_.rows, from + unit_rows_);
  const bool near = current && unit > current->units.back() &&
                    layout_.at(from) - layout_.at(current->last) <= largest_gap &&
                    RowRead::span_of(file_, layout_, current->first, to) <= largest_read;
  if (near) {
    current->units.reserve(current->units.size() + 1);
    const Index before = current->bytes;
    current->prepare(file_, layout_, current->first, to);
    in_progress_bytes_ += static_cast<double>(current->bytes - before);
  } else {
    started.reserve(started.size() + 1);
    UnitRead* const next = unused_read();
    try {
      next->units.reserve(1);
      next->prepare(file_, layout_, from, to);
    } catch (...) {
      unused_.push_back(next);
      throw;
    }
    current = next;
    started.push_back(current);
    ++in_progress_;
    in_progress_bytes_ += static_cast<double>(current->bytes);
  }
  current->units.push_back(unit);
}

std::vector<Read*> RowCache::expect_locked(std::span<const Index> rows, bool at_least_one) {
  std::vector<Read*> started;
  try {
    add_all(rows, at_least_one, started);
  } catch (...) {
    for (Read* const read : started) cancel(static_cast<UnitRead&>(*read));
    throw;
  }
  return started;
}

// As if the read had never been put together.
void RowCache::cancel(UnitRead& read) {
  for (const Index unit : read.units) *find(unit) = {};
  in_progress_bytes_ -= static_cast<double>(read.bytes);
  --in_progress_;
  read.release();
  unused_.push_back(&read);
}

void RowCache::add_all(std::span<const Index> rows, bool at_least_one,
                       std::vector<Read*>& started) {
  UnitRead* current = nullptr;
  Index previous = -1;
  for (const Index row : rows) {
    const Index unit = unit_of(row);
    if (unit == previous) continue;
    previous = unit;
    if (Slot* const here = find(unit)) {
      here->used = true;
      continue;
    }
    if (!has_room(unit) && !(at_least_one && started.empty())) break;
    Slot* const slot = take_slot(unit);
    if (!slot) continue;
    try {
      add(current, unit, started);
    } catch (...) {
      *slot = {};
      throw;
    }
  }
}

void RowCache::expect(std::span<const Index> rows) {
  std::vector<Read*> started;
  {
    const std::lock_guard lock(mutex_);
    started = expect_locked(rows, false);
  }
  if (!started.empty()) queue_.start(started);
}

void RowCache::ended(UnitRead& read) {
  const std::lock_guard lock(mutex_);
  bool awaited = false;
  for (const Index unit : read.units) {
    Slot& slot = *find(unit);
    awaited = awaited || slot.state == State::awaited;
    if (read.failed()) {
      slot = {};
      continue;
    }
    const Index from = unit * unit_rows_, to = std::min(layout_.rows, from + unit_rows_);
    std::memcpy(memory(slot), read.rows() + (from - read.first) * layout_.row_bytes,
                to_size((to - from) * layout_.row_bytes));
    slot.state = State::ready;
  }
  in_progress_bytes_ -= static_cast<double>(read.bytes);
  if (!read.failed()) read.release();
  (read.failed() ? failed_ : unused_).push_back(&read);
  // Under the lock: the destructor may be waiting for it.
  if (--in_progress_ == 0 || awaited || waiting_for_room_ > 0) some_ended_.notify_all();
}

// The first row of `rows` is not here: waits until some read has ended.
void RowCache::wait_for(std::unique_lock<std::mutex>& lock, std::span<const Index> rows) {
  Slot* slot = find(unit_of(rows.front()));
  if (!slot) {
    for (const UnitRead* read : failed_)
      if (rows.front() >= read->first && rows.front() < read->last) read->refuse(file_, layout_);
    const std::vector<Read*> started = expect_locked(rows, true);
    if (!started.empty()) {
      lock.unlock();
      queue_.start(started);
      lock.lock();
    }
    slot = find(unit_of(rows.front()));
  }
  if (slot && slot->state == State::ready) return;
  if (slot) {
    slot->state = State::awaited;
    some_ended_.wait(lock);
  } else if (in_progress_ > 0) {  // its set is full of rows that are being read
    ++waiting_for_room_;
    some_ended_.wait(lock);
    --waiting_for_room_;
  }
}

void RowCache::copy(std::span<const Index> rows, char* out) {
  std::unique_lock lock(mutex_);
  for (std::size_t t = 0; t < rows.size(); out += layout_.row_bytes) {
    const Index unit = unit_of(rows[t]);
    Slot* slot = find(unit);
    while (!slot || slot->state != State::ready) {
      wait_for(lock, rows.subspan(t));
      slot = find(unit);
    }
    slot->used = true;
    std::memcpy(out, memory(*slot) + (rows[t] - unit * unit_rows_) * layout_.row_bytes,
                to_size(layout_.row_bytes));
    ++t;
  }
}

}  // namespace polyak::internal::io
