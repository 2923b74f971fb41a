#include "solve/stream/stream_pass.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "polyak/error.hpp"

namespace polyak {
namespace {

[[noreturn]] void refuse_height(const char* what, Index given, const std::string& rows) {
  throw Error(ErrorCode::bad_data,
              {.what = std::string("A and ") + what + " do not have the same number of rows",
               .where = what,
               .found = "A " + rows + " and " + what + " " + std::to_string(given),
               .expected = rows});
}

// For rows that have been read so far, or all of them.
void check_height(const char* what, Index given, Index read, bool all) {
  if (given < read) refuse_height(what, given, "at least " + std::to_string(read) + " rows");
  if (all && given > read) refuse_height(what, given, std::to_string(read) + " rows");
}

}  // namespace

// What a thread works in.
struct StreamPass::Workspace {
  Workspace(Index block_rows, Index width, Index columns)
      : values(block_rows, width), rows(block_rows, columns) {}
  Buffer values, rows;
};

StreamPass::StreamPass(RowStream& stream, const StreamProblem& problem, const SolveOptions& options,
                       const std::function<void(Index)>& progress)
    : stream_(stream),
      problem_(problem),
      options_(options),
      progress_(progress),
      rows_(stream, problem),
      team_(static_cast<int>(options.threads)),
      qr_(rows_.columns(), 1),
      reservoir_(options.seed, rows_.width()),
      varies_(to_size(rows_.d())) {}

double StreamPass::bytes(Index cols, Index right_hand_sides, int threads) {
  constexpr double any_number_of_rows = 1e12, start_bytes = 0x1p26;
  const Index p = cols + 1 + 2 * right_hand_sides;
  const double width = static_cast<double>(p), rows = static_cast<double>(BlockShape::of(p).rows);
  const double kept = 8.0 * static_cast<double>(RowReservoir::most_rows) * width;
  const double start = std::min(start_bytes, 8.0 * (16.0 * width + rows) * width);
  return BlockQr::bytes(p, any_number_of_rows, threads) + kept + start +
         8.0 * static_cast<double>(threads) * rows * width;
}

Triangle StreamPass::run() {
  begin();
  team_.run(team_.size(), [this](Index) { work(); });
  throw_failure();
  check_end();
  constexpr double entry_rounding = 3.0 * 0x1p-53;  // of the centre and of the root of the weight
  BlockQr::Result all = qr_.finish();
  Triangle out = rows_.triangle();
  out.rows = static_cast<double>(counted_);
  out.total_weight = all.sums[0];
  out.r = std::move(all.r);
  out.rounding = all.rounding + entry_rounding;
  return out;
}

// The first blocks tell the centre of the columns, and a start near the solution.
void StreamPass::begin() {
  const Index wanted = std::max(rows_.start_rows(), qr_.shape().rows);
  RowBlock block;
  while (read_ < wanted && next_block(block)) ready_.push_back(std::move(block));
  throw_failure();
  team_.run(std::ssize(ready_), [&](Index k) {
    RowBlock& one = ready_[to_size(k)];
    try {
      one.kept = Buffer(one.rows, rows_.width());
      rows_.convert(one, one.kept.view());
    } catch (...) {
      fail(one.number);
    }
  });
  throw_failure();
  rows_.look_at(ready_);
}

bool StreamPass::next_block(RowBlock& block) {
  try {
    block = RowBlock{.number = next_number_, .first = read_};
    block.piece = stream_.next(qr_.shape().rows);
    if (!block.piece) return false;
    block.rows = block.piece->rows();
    read_ += block.rows;
    if (!problem_.b.empty()) check_height("b", problem_.b.rows(), read_, false);
    if (!problem_.weights.empty())
      check_height("weights", std::ssize(problem_.weights), read_, false);
    if (progress_) progress_(read_);
    ++next_number_;
    return true;
  } catch (...) {
    fail(next_number_);
    return false;
  }
}

std::optional<RowBlock> StreamPass::take() {
  const std::lock_guard lock(input_);
  if (failed_) return std::nullopt;
  if (next_ready_ < ready_.size()) return std::move(ready_[next_ready_++]);
  RowBlock block;
  if (!next_block(block)) return std::nullopt;
  return block;
}

// Of several failures the one in the first rows is told, whatever the order of the threads: blocks
// with lower numbers are in progress, and come to their end.
void StreamPass::fail(Index number) {
  const std::lock_guard lock(failure_mutex_);
  if (failed_ && failed_number_ <= number) return;
  failure_ = std::current_exception();
  failed_number_ = number;
  failed_ = true;
  qr_.abandon();
}

void StreamPass::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void StreamPass::work() {
  Index number = 0;
  try {
    Workspace space(qr_.shape().rows, rows_.width(), rows_.columns());
    while (std::optional<RowBlock> block = take()) {
      number = block->number;
      if (block->piece) rows_.convert(*block, space.values.view());
      count(*block);
      add(*block, space);
    }
  } catch (...) {
    fail(number);
  }
}

// What the report says of the rows.
void StreamPass::count(const RowBlock& block) {
  const Index d = rows_.d(), width = rows_.width();
  std::vector<double> weights(to_size(block.rows));
  Index dropped = 0, counted = 0, zero = 0, zero_with_rhs = 0;
  const auto is_zero = [](double v) { return v == 0.0; };
  for (Index t = 0; t < block.rows; ++t) {
    const double* const row = block.values.row(t);
    const bool kept = rows_.is_kept(block, t), counts = kept && rows_.counts(block, t);
    dropped += !kept;
    counted += counts;
    if (counts) weights[to_size(t)] = rows_.weight(block.first + t);
    if (counts && options_.statistics) compare(row);
    if (!kept || (counts && problem_.intercept) || !std::all_of(row, row + d, is_zero)) continue;
    ++zero;
    zero_with_rhs += counts && !std::all_of(row + d, row + width, is_zero);
  }
  dropped_ += dropped;
  counted_ += counted;
  zero_rows_ += zero;
  zero_rows_with_rhs_ += zero_with_rhs;
  reservoir_.offer(block.first, block.values, weights);
}

// Only ever writes true.
void StreamPass::compare(const double* row) {
  const std::vector<double>& first = rows_.first_row();
  for (std::size_t j = 0; j < varies_.size(); ++j)
    if (row[j] != first[j] && !varies_[j].load(std::memory_order_relaxed))
      varies_[j].store(true, std::memory_order_relaxed);
}

bool StreamPass::has_constant_column() const {
  const std::vector<double>& first = rows_.first_row();
  for (std::size_t j = 0; j < varies_.size() && !first.empty(); ++j)
    if (first[j] != 0.0 && !varies_[j]) return true;
  return problem_.intercept;
}

void StreamPass::add(const RowBlock& block, Workspace& space) {
  const Index count = rows_.make(block, space.rows.view());
  double weight = 0.0;
  for (Index t = 0; t < block.rows; ++t)
    if (rows_.counts(block, t)) weight += rows_.weight(block.first + t);
  qr_.add(block.number, part(std::as_const(space.rows).view(), 0, 0, count, rows_.columns()),
          {&weight, 1});
}

void StreamPass::check_end() const {
  if (!problem_.b.empty()) check_height("b", problem_.b.rows(), read_, true);
  if (!problem_.weights.empty()) check_height("weights", std::ssize(problem_.weights), read_, true);
}

}  // namespace polyak
