#include "matrix/as_stored.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

template <class Value>
MatrixPtr cut_rows(const DenseRows<Value>& dense, RowRange range, const MatrixPtr& A, Keep keep) {
  const MatrixView<const Value> view{dense.view.row(range.first), range.last - range.first,
                                     dense.view.cols, dense.view.stride};
  if (keep == Keep::whole) {
    if constexpr (std::is_same_v<Value, double>) return dense_view(view, A, dense.read);
    return dense_view(view, A);
  }
  std::vector<Value> values;
  values.reserve(to_size(view.size()));
  for (Index i = 0; i < view.rows; ++i)
    values.insert(values.end(), view.row(i), view.row(i) + view.cols);
  return dense_matrix(std::move(values), view.rows, view.cols);
}

template <class Value, class Column>
MatrixPtr cut_rows(const CsrRows<Value, Column>& csr, RowRange range, const MatrixPtr&, Keep) {
  const Index from = csr.row_start[to_size(range.first)], to = csr.row_start[to_size(range.last)];
  Csr<Value, Column> out;
  out.cols = csr.cols_count;
  for (Index i = range.first; i <= range.last; ++i)
    out.row_start.push_back(csr.row_start[to_size(i)] - from);
  out.columns.assign(csr.columns.begin() + from, csr.columns.begin() + to);
  out.values.assign(csr.values.begin() + from, csr.values.begin() + to);
  return csr_matrix(std::move(out));
}

// Whatever it is, row by row.
MatrixPtr copy_entries(const RowMatrix& A, RowRange range) {
  std::vector<double> row(to_size(A.cols()));
  Csr<double, Index> out;
  out.cols = A.cols();
  out.row_start.push_back(0);
  for (Index i = range.first; i < range.last; ++i) {
    A.copy_rows(i, i + 1, {row.data(), 1, A.cols(), A.cols()});
    for (Index j = 0; j < A.cols(); ++j) {
      if (row[to_size(j)] == 0.0) continue;
      out.columns.push_back(j);
      out.values.push_back(row[to_size(j)]);
    }
    out.row_start.push_back(std::ssize(out.values));
  }
  return csr_matrix(std::move(out));
}

}  // namespace

MatrixPtr rows_between(const MatrixPtr& A, RowRange range, Keep keep) {
  if (range.first < 0 || range.last < range.first || range.last > A->rows())
    throw Error(ErrorCode::bad_data,
                {.what = "these rows are not in the matrix",
                 .found = std::to_string(range.first) + " to " + std::to_string(range.last),
                 .expected = "within 0 to " + std::to_string(A->rows())});
  if (auto out = as_stored(*A, [&](const auto& rows) { return cut_rows(rows, range, A, keep); }))
    return out;
  return copy_entries(*A, range);
}

}  // namespace polyak
