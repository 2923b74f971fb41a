#include "solve/pages.hpp"

#include <algorithm>

#include "polyak/ranks.hpp"

namespace polyak {
namespace {

// 0 unless A is one array of doubles or floats.
Index row_bytes_of(const RowMatrix& A) {
  if (A.rows() == 0 || partition(A).ranks() > 1) return 0;
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

std::optional<Index> pages_of_rows(const RowMatrix& A, std::span<const Index> rows) {
  const Index row_bytes = row_bytes_of(A);
  if (row_bytes == 0) return std::nullopt;
  return pages_spanned(rows, row_bytes);
}

}  // namespace polyak
