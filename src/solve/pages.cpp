#include "solve/pages.hpp"

#include <algorithm>
#include <iterator>

#include "solve/row_subset.hpp"

namespace polyak {
namespace {

// 0 unless A is one array of doubles or floats.
Index row_bytes_of(const RowMatrix& A) {
  if (A.rows() == 0 || A.share().ranks > 1) return 0;
  for (const Index size : {Index{8}, Index{4}})
    if (A.bytes() == static_cast<double>(A.rows()) * static_cast<double>(A.cols() * size))
      return A.cols() * size;
  return 0;
}

}  // namespace

Index pages_spanned(std::span<const Index> rows, Index row_bytes) {
  Index count = 0, counted = 0;  // pages before `counted` are
  for (const Index row : rows) {
    const Index first = row * row_bytes / page_bytes;
    const Index end = ((row + 1) * row_bytes + page_bytes - 1) / page_bytes;
    count += std::max<Index>(0, end - std::max(first, counted));
    counted = std::max(counted, end);
  }
  return count;
}

// The draws of try_subset, made again: draw 0 is solved, draw 1 checks it.
std::optional<Index> pages_looked_at(const Problem& problem, const SubsetTrial& trial,
                                     std::uint64_t seed) {
  const Index row_bytes = row_bytes_of(problem.A());
  if (row_bytes == 0) return std::nullopt;
  const auto solved = random_rows(problem.rows(), trial.rows_solved, seed, 0);
  const auto checked = random_rows(problem.rows(), trial.rows_checked, seed, 1, solved);
  std::vector<Index> all;
  all.reserve(solved.size() + checked.size());
  std::merge(solved.begin(), solved.end(), checked.begin(), checked.end(),
             std::back_inserter(all));
  return pages_spanned(all, row_bytes);
}

}  // namespace polyak
