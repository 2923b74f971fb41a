#include "io/disk/disk_rates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace polyak::io {
namespace {

constexpr double smallest_file = 16e6;  // bytes: below, the times of all methods are small
constexpr double enough_s = 3e-3;       // of one kind of reads
constexpr int most_rounds = 16;
constexpr Index longest_row = Index{1} << 20;  // bytes: of longer ones the reads take their memory
constexpr Index trial_block_bytes = Index{1} << 20, blocks_at_once = 4, most_rows_at_once = 64;

// Steps of a factor 4 leave one machine on one step in most runs. The centres are between the
// common kinds of disks.
constexpr double sweep_centre = 1.1e9;  // bytes per second
constexpr double row_centre = 4.9e4;    // rows per second

double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Reads that are waited for together.
class Round {
 public:
  explicit Round(Index reads) : reads_(to_size(reads)) {
    for (TrialRead& read : reads_) read.round = this;
  }

  RowRead& operator[](Index k) { return reads_[to_size(k)]; }

  /// False if one of them failed.
  bool run(ReadQueue& queue) {
    std::vector<Read*> started;
    for (TrialRead& read : reads_) started.push_back(&read);
    left_ = std::ssize(started);
    queue.start(started);
    std::unique_lock lock(mutex_);
    all_ended_.wait(lock, [this] { return left_ == 0; });
    return std::none_of(reads_.begin(), reads_.end(), [](auto& read) { return read.failed(); });
  }

 private:
  struct TrialRead final : RowRead {
    void ended() override { round->one_ended(); }
    Round* round = nullptr;
  };

  void one_ended() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) all_ended_.notify_one();
  }

  std::vector<TrialRead> reads_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  Index left_ = 0;
};

// Places that differ from run to run: what an earlier run has read may be in a cache of the system
// or of the disk. No result depends on them.
class Places {
 public:
  double next() { return place_ = std::fmod(place_ + golden, 1.0); }

 private:
  static constexpr double golden = 0.6180339887498949;
  double place_ = std::fmod(clock_s() * 1e3, 1.0);
};

// prepare(round) before each round. Units per second; 0 if a read failed.
template <class Prepare>
double rate(ReadQueue& queue, Round& round, double units_of_round, Prepare prepare) {
  double seconds = 0.0, units = 0.0;
  for (int k = 0; k < most_rounds && seconds < enough_s; ++k) {
    prepare(round);
    const double start = clock_s();
    if (!round.run(queue)) return 0.0;
    seconds += clock_s() - start;
    units += units_of_round;
  }
  return units / std::max(seconds, 1e-9);
}

Index at_random(Places& places, Index last) {
  return static_cast<Index>(places.next() * static_cast<double>(last));
}

double sweep_rate(const DiskFile& file, const RowLayout& layout, ReadQueue& queue, Places& places) {
  const Index rows = std::max<Index>(1, trial_block_bytes / layout.row_bytes);
  const Index count = std::min(blocks_at_once, layout.rows / rows);
  if (count == 0) return 0.0;
  Round round(count);
  Index row = at_random(places, layout.rows - count * rows + 1);
  return rate(queue, round, static_cast<double>(count * rows * layout.row_bytes), [&](Round& next) {
    if (row + count * rows > layout.rows) row = 0;
    for (Index k = 0; k < count; ++k, row += rows) next[k].prepare(file, layout, row, row + rows);
  });
}

double row_rate(const DiskFile& file, const RowLayout& layout, ReadQueue& queue, Places& places) {
  const Index count = std::min(most_rows_at_once, queue.depth());
  Round round(count);
  return rate(queue, round, static_cast<double>(count), [&](Round& next) {
    for (Index k = 0; k < count; ++k) {
      const Index row = at_random(places, layout.rows);
      next[k].prepare(file, layout, row, row + 1);
    }
  });
}

}  // namespace

double rounded_rate(double rate, double centre) {
  return centre * std::exp2(2.0 * std::round(0.5 * std::log2(rate / centre)));
}

std::optional<DiskRates> measured_rates(const DiskFile& file, const RowLayout& layout,
                                        ReadQueue& queue) {
  if (layout.row_bytes > longest_row ||
      static_cast<double>(layout.rows) * static_cast<double>(layout.row_bytes) < smallest_file)
    return std::nullopt;
  Places places;
  const double rows = row_rate(file, layout, queue, places);
  const double sweep = rows > 0.0 ? sweep_rate(file, layout, queue, places) : 0.0;
  if (!(sweep > 0.0)) return std::nullopt;
  return DiskRates{.sweep_bytes = rounded_rate(sweep, sweep_centre),
                   .single_rows = rounded_rate(rows, row_centre)};
}

}  // namespace polyak::io
