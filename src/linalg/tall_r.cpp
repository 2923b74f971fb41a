#include "linalg/tall_r.hpp"

#include <algorithm>
#include <vector>

#include "core/thread_team.hpp"

namespace polyak {
namespace {

constexpr Index block_rows = 512;  // rows asked of the source at a time

// Chunks of at least four blocks and 4·cols rows (merging costs about as much
// as cols rows), at most 64 of them and 256 MiB of R factors.
Index chunk_count(Index rows, Index cols) {
  const Index by_rows = rows / std::max<Index>(4 * block_rows, 4 * cols);
  const Index by_memory = (Index{256} << 20) / std::max<Index>(1, 8 * cols * cols);
  return std::clamp<Index>(std::min(by_rows, by_memory), 1, 64);
}

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

Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal) {
  const Index count = chunk_count(rows, cols);
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
