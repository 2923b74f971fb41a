#pragma once

// Rows of A as numbers, and the columns of a model among those of A.

#include <algorithm>
#include <string>
#include <vector>

#include "polyak/model.hpp"

namespace polyak {

/// The position in A of each column of the model, found by name where both have names. Error
/// bad_data if one is missing, named twice, or if A has another number of columns.
std::vector<Index> columns_of(const LinearModel& model, const RowMatrix& A,
                              const std::vector<std::string>& names);

/// Rows of half a megabyte, or one.
inline Index block_rows(const RowMatrix& A) {
  constexpr Index numbers = 1 << 16;
  return std::max<Index>(1, numbers / std::max<Index>(1, A.cols()));
}

/// body(rows as a ConstView) for all rows of A, in their order.
template <class Body>
void for_blocks_of_rows(const RowMatrix& A, Body body) {
  const Index block = block_rows(A);
  std::vector<double> numbers(to_size(block * A.cols()));
  A.expect_range(0, A.rows());
  for (Index first = 0; first < A.rows(); first += block) {
    const Index count = std::min(block, A.rows() - first);
    const View rows{numbers.data(), count, A.cols(), A.cols()};
    A.copy_rows(first, first + count, rows);
    body(ConstView(rows));
  }
}

}  // namespace polyak
