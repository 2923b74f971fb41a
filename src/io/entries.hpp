#pragma once

// The entries of any matrix, row by row: directly where it is CSR, the
// nonzeros of copied rows elsewhere.

#include <span>
#include <vector>

#include "io/rows.hpp"
#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"

namespace polyak::io {

template <class Value, class Column>
const CsrRows<Value, Column>* as_csr(const RowMatrix& A) {
  const auto* typed = dynamic_cast<const TypedMatrix<CsrRows<Value, Column>>*>(&A);
  return typed != nullptr ? &typed->storage() : nullptr;
}

/// Calls visit(i, columns, values) for every row; true if A is CSR of this kind.
template <class Value, class Column, class Visit>
bool visit_csr(const RowMatrix& A, Visit& visit) {
  const auto* csr = as_csr<Value, Column>(A);
  if (csr == nullptr) return false;
  for (Index i = 0; i < csr->rows(); ++i) {
    const auto first = to_size(csr->row_start[to_size(i)]);
    const auto count = to_size(csr->row_start[to_size(i) + 1]) - first;
    visit(i, csr->columns.subspan(first, count), csr->values.subspan(first, count));
  }
  return true;
}

template <class Visit>
void visit_dense(const RowMatrix& A, Visit& visit) {
  const Index rows = rows_per_block(A.cols());
  std::vector<double> block(to_size(rows * A.cols()));
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index first = 0; first < A.rows(); first += rows) {
    const Index last = std::min(A.rows(), first + rows);
    const View view{block.data(), last - first, A.cols(), A.cols()};
    A.copy_rows(first, last, view);
    for (Index i = first; i < last; ++i) {
      columns.clear();
      values.clear();
      for (Index j = 0; j < A.cols(); ++j) {
        if (view(i - first, j) == 0.0) continue;
        columns.push_back(j);
        values.push_back(view(i - first, j));
      }
      visit(i, std::span<const Index>(columns), std::span<const double>(values));
    }
  }
}

template <class Visit>
void for_each_row(const RowMatrix& A, Visit visit) {
  if (visit_csr<double, std::int32_t>(A, visit) || visit_csr<double, Index>(A, visit) ||
      visit_csr<float, std::int32_t>(A, visit) || visit_csr<float, Index>(A, visit))
    return;
  visit_dense(A, visit);
}

inline bool is_csr(const RowMatrix& A) {
  return as_csr<double, std::int32_t>(A) != nullptr || as_csr<double, Index>(A) != nullptr ||
         as_csr<float, std::int32_t>(A) != nullptr || as_csr<float, Index>(A) != nullptr;
}

}  // namespace polyak::io
