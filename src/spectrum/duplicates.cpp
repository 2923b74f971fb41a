#include "spectrum/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace polyak {
namespace {

// Two rounds of multiply and shift on each value; −0 counts as 0.
std::uint64_t fingerprint(const double* row, Index d) {
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
  std::vector<std::uint64_t> prints(to_size(n));
  team.run(chunks, [&](Index chunk) {
    std::vector<double> row(to_size(d));
    for (Index i = chunk * n / chunks; i < (chunk + 1) * n / chunks; ++i) {
      A.copy_rows(i, i + 1, {row.data(), 1, d, d});
      prints[to_size(i)] = fingerprint(row.data(), d);
    }
  });
  std::sort(prints.begin(), prints.end());
  Index repeats = 0;
  for (std::size_t i = 1; i < prints.size(); ++i)
    repeats += prints[i] != 0 && prints[i] == prints[i - 1];
  return repeats;
}

}  // namespace polyak
