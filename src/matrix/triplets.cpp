#include <algorithm>
#include <limits>
#include <utility>

#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak {
namespace {

void check(const Triplet& e, Index rows, Index cols) {
  if (e.row >= 0 && e.row < rows && e.col >= 0 && e.col < cols) return;
  throw Error(ErrorCode::bad_data,
              {.what = "an entry lies outside the matrix",
               .found = "(" + std::to_string(e.row) + ", " + std::to_string(e.col) + ")",
               .expected = "row below " + std::to_string(rows) + ", column below " +
                           std::to_string(cols) + ", from 0"});
}

[[noreturn]] void refuse_duplicate(const Triplet& e) {
  throw Error(ErrorCode::bad_data,
              {.what = "an entry is given twice",
               .found = "row " + std::to_string(e.row + 1) + ", column " +
                        std::to_string(e.col + 1),
               .hint = "--duplicates sum adds them up"});
}

template <class Column>
MatrixPtr compress(const std::vector<Triplet>& entries, Index rows, Index cols,
                   Duplicates duplicates) {
  Csr<double, Column> csr;
  csr.cols = cols;
  csr.row_start.assign(to_size(rows) + 1, 0);
  csr.columns.reserve(entries.size());
  csr.values.reserve(entries.size());
  const Triplet* last = nullptr;
  for (const Triplet& e : entries) {
    if (last && last->row == e.row && last->col == e.col) {
      if (duplicates == Duplicates::error) refuse_duplicate(e);
      csr.values.back() += e.value;
    } else {
      csr.columns.push_back(static_cast<Column>(e.col));
      csr.values.push_back(e.value);
    }
    csr.row_start[to_size(e.row) + 1] = ssize(csr.values);
    last = &e;
  }
  for (std::size_t i = 1; i < csr.row_start.size(); ++i)
    csr.row_start[i] = std::max(csr.row_start[i], csr.row_start[i - 1]);
  return csr_matrix(std::move(csr));
}

}  // namespace

MatrixPtr csr_from_triplets(std::vector<Triplet> entries, Index rows, Index cols,
                            Duplicates duplicates) {
  if (rows < 0 || cols < 0) {
    throw Error(ErrorCode::bad_data,
                {.what = "a matrix needs sizes of at least 0",
                 .found = std::to_string(rows) + " x " + std::to_string(cols)});
  }
  for (const Triplet& e : entries) check(e, rows, cols);
  // Stable, so that repeats are summed in the order given.
  std::stable_sort(entries.begin(), entries.end(), [](const Triplet& a, const Triplet& b) {
    return std::pair(a.row, a.col) < std::pair(b.row, b.col);
  });
  if (cols <= std::numeric_limits<std::int32_t>::max())
    return compress<std::int32_t>(entries, rows, cols, duplicates);
  return compress<Index>(entries, rows, cols, duplicates);
}

}  // namespace polyak
