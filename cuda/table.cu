#include <algorithm>
#include <string>

#include "cuda/table.hpp"
#include "polyak/error.hpp"

namespace polyak::cuda {
namespace {

constexpr int threads = 256;

// One line a thread; bytes written: 64 a cell, read: about 8·(log2 n + 7), mostly in cache.
__global__ void fill_lines(const std::uint64_t* starts, std::int64_t rows, int shift,
                           std::uint64_t cells, RowLine* lines) {
  const std::uint64_t cell = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (cell < cells) lines[cell] = make_line(starts, rows, cell, shift);
  if (cell == cells) {  // ends the search in the last cell
    lines[cell] = {};
    lines[cell].row = static_cast<std::uint64_t>(rows) - 1;
  }
}

__global__ void draw(RowTable table, Key key, std::uint64_t k, std::int64_t batch,
                     const double* own, std::uint64_t* rows, double* weights) {
  const std::int64_t t = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (t >= batch) return;
  const std::uint64_t bits = draw_bits(key, k, static_cast<std::uint64_t>(t));
  const Drawn drawn = find_row(table, table.lines[bits >> table.shift], bits);
  rows[t] = drawn.row;
  weights[t] =
      draw_weight(own ? own[drawn.row] : 1.0, 1.0 / static_cast<double>(batch), drawn.points);
}

unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

void check_starts(std::span<const std::uint64_t> starts) {
  constexpr std::uint64_t total = std::uint64_t{1} << 62;
  if (starts.size() >= 2 && starts.front() == 0 && starts.back() == total &&
      std::is_sorted(starts.begin(), starts.end()))
    return;
  throw Error(ErrorCode::internal,
              {.what = "the starts of a sampling table are not as they must be",
               .found = std::to_string(starts.size()) + " numbers" +
                        (starts.empty() ? "" : ", the last " + std::to_string(starts.back())),
               .expected = "rows + 1 numbers that ascend from 0 to 2^62"});
}

}  // namespace

DeviceTable::DeviceTable(std::span<const std::uint64_t> starts) {
  check_starts(starts);
  const auto rows = static_cast<std::int64_t>(starts.size()) - 1;
  shift_ = table_shift(rows);
  const std::uint64_t cells = std::uint64_t{1} << (64 - shift_);
  starts_ = Buffer<std::uint64_t>(starts, "starts of the sampling table");
  lines_ = Buffer<RowLine>(cells + 1, "lines of the sampling table");
  fill_lines<<<blocks_for(cells + 1), threads>>>(starts_.data(), rows, shift_, cells,
                                                 lines_.data());
  check(cudaGetLastError(), "launch of the table kernel");
  check(cudaDeviceSynchronize(), "the table kernel");
}

RowTable DeviceTable::view() const {
  return {lines_.data(), starts_.data(), static_cast<std::int64_t>(starts_.size()) - 1, shift_};
}

void list_draws(const RowTable& table, Key key, std::int64_t k, const double* row_weights,
                Buffer<std::uint64_t>& rows, Buffer<double>& weights) {
  const auto batch = static_cast<std::int64_t>(rows.size());
  draw<<<blocks_for(rows.size()), threads>>>(table, key, static_cast<std::uint64_t>(k), batch,
                                             row_weights, rows.data(), weights.data());
  check(cudaGetLastError(), "launch of the drawing kernel");
  check(cudaDeviceSynchronize(), "the drawing kernel");
}

}  // namespace polyak::cuda
