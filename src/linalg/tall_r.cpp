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
// more than eight only where their R factors take a 32nd of the rows or less.
Index tall_r_chunks(Index rows, Index cols) {
  constexpr Index most_bytes = Index{256} << 20;
  const Index by_rows = rows / std::max<Index>(4 * block_rows, 4 * cols);
  const Index by_memory = most_bytes / std::max<Index>(1, 8 * cols * cols);
  const Index beside_rows = std::max<Index>(8, rows / std::max<Index>(1, 32 * cols));
  return std::clamp<Index>(std::min({by_rows, by_memory, beside_rows}), 1, 64);
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
