#include "linalg/tall_r.hpp"

#include <algorithm>
#include <vector>

#include "core/thread_team.hpp"

namespace polyak {
namespace {

constexpr Index block_rows = 512;  // rows asked of the source at a time

void add_range(Tsqr& tsqr, Index first, Index last, const RowSource& source) {
  Buffer block(std::min(block_rows, last - first), tsqr.cols());
  for (Index i = first; i < last; i += block_rows) {
    const Index end = std::min(last, i + block_rows);
    const View rows = part(block.view(), 0, 0, end - i, tsqr.cols());
    source(i, end, rows);
    tsqr.add(rows);
  }
  tsqr.finish();
}

}  // namespace

// Of at least four blocks and 4·cols rows (merging costs about as much as cols rows);
// more than eight only where their R factors take a 32nd of the rows or less; at most 64,
// and 256 MiB of R factors.
Index tall_r_chunks(Index rows, Index cols) {
  constexpr double most_bytes = 0x1p28;
  const auto n = static_cast<double>(rows), d = static_cast<double>(std::max<Index>(1, cols));
  const double by_rows = n / std::max(4.0 * block_rows, 4.0 * d);
  const double by_memory = most_bytes / (8.0 * d * d);
  const double beside_rows = std::max(8.0, n / (32.0 * d));
  return static_cast<Index>(std::clamp(std::min({by_rows, by_memory, beside_rows}), 1.0, 64.0));
}

Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal) {
  const Index count = tall_r_chunks(rows, cols);
  std::vector<Tsqr> parts;
  for (Index c = 0; c < count; ++c) parts.emplace_back(cols);
  team.run(count, [&](Index c) {
    add_range(parts[to_size(c)], rows * c / count, rows * (c + 1) / count, source);
  });
  for (Index step = 1; step < count; step *= 2) {
    team.run((count + step - 1) / (2 * step), [&](Index pair) {
      const Index left = 2 * step * pair;
      if (left + step < count) parts[to_size(left)].merge(parts[to_size(left + step)]);
    });
  }
  return parts.front().r(diagonal);
}

}  // namespace polyak
