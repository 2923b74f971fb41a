#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "spectrum/facts.hpp"

namespace polyak::internal {
namespace {

// A 64-bit hash of the row, 0 for a zero row; −0 counts as 0.
std::uint64_t row_hash(const double* row, Index d) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  bool zero = true;
  for (Index j = 0; j < d; ++j) {
    zero = zero && row[j] == 0.0;
    h = (h ^ std::bit_cast<std::uint64_t>(row[j] + 0.0)) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return zero ? 0 : std::max<std::uint64_t>(1, h * 0xc4ceb9fe1a85ec53ull ^ h);
}

}  // namespace

Index count_duplicate_rows(const RowMatrix& A, ThreadTeam& team) {
  const Index n = A.rows(), d = A.cols(), chunks = std::clamp<Index>(n / 64, 1, 64);
  std::vector<std::uint64_t> hashes(to_size(n));
  team.run(chunks, [&](Index chunk) {
    std::vector<double> row(to_size(d));
    A.expect_range(chunk * n / chunks, (chunk + 1) * n / chunks);
    for (Index i = chunk * n / chunks; i < (chunk + 1) * n / chunks; ++i) {
      A.copy_rows(i, i + 1, {row.data(), 1, d, d});
      hashes[to_size(i)] = row_hash(row.data(), d);
    }
  });
  std::sort(hashes.begin(), hashes.end());
  Index repeats = 0;
  for (std::size_t i = 1; i < hashes.size(); ++i)
    repeats += hashes[i] != 0 && hashes[i] == hashes[i - 1];
  return repeats;
}

}  // namespace polyak::internal
