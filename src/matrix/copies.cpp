#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/large_arrays.hpp"
#include "matrix/column_map.hpp"
#include "matrix/disk_rows.hpp"
#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/matrices.hpp"
#include "polyak/ranks.hpp"

// A matrix made from another one: in single precision, of listed rows, of a range of rows.

namespace polyak {
using namespace polyak::internal;

namespace {

std::string shown(double v) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}

// NaN and Inf are kept; a finite value that becomes infinite is an error.
float narrow(double v, Index row, Index column) {
  const auto out = static_cast<float>(v);
  if (std::isfinite(out) || !std::isfinite(v)) return out;
  throw Error(ErrorCode::bad_data,
              {.what = "a value is too large for single precision",
               .where = "A, row " + std::to_string(row + 1) + ", column " +
                        std::to_string(column + 1) + " (counted from 1)",
               .found = shown(v),
               .expected = "at most " + shown(std::numeric_limits<float>::max()),
               .hint = "store values in double precision"});
}

MatrixPtr narrow(const DenseRows<double>& dense) {
  std::vector<float> values = large_vector<float>(to_size(dense.nonzeros()));
  for (Index i = 0; i < dense.rows(); ++i)
    for (Index j = 0; j < dense.cols(); ++j)
      values[to_size(i * dense.cols() + j)] = narrow(dense.view(i, j), i, j);
  return dense_matrix(std::move(values), dense.rows(), dense.cols());
}

template <class Column>
MatrixPtr narrow(const CsrRows<double, Column>& csr) {
  Csr<float, Column> out;
  out.cols = csr.cols_count;
  out.row_start.assign(csr.row_start.begin(), csr.row_start.end());
  out.columns.assign(csr.columns.begin(), csr.columns.end());
  out.values.reserve(csr.values.size());
  for (Index i = 0; i < csr.rows(); ++i) {
    const auto row = csr.row(i);
    for (Index k = 0; k < row.count; ++k) {
      out.values.push_back(narrow(row.a[k], i, static_cast<Index>(row.col[k])));
    }
  }
  return csr_matrix(std::move(out));
}

template <class Rows>
MatrixPtr try_narrow(const RowMatrix& A) {
  const auto* typed = dynamic_cast<const TypedMatrix<Rows>*>(&A);
  return typed ? narrow(typed->storage()) : nullptr;
}

template <class Value>
MatrixPtr copy_listed(const DenseRows<Value>& dense, std::span<const Index> rows) {
  std::vector<Value> values = large_vector<Value>(rows.size() * to_size(dense.cols()));
  Value* to = values.data();
  for (const Index i : rows) to = std::copy_n(dense.view.row(i), dense.cols(), to);
  return dense_matrix(std::move(values), std::ssize(rows), dense.cols());
}

template <class Value, class Column>
MatrixPtr copy_listed(const CsrRows<Value, Column>& csr, std::span<const Index> rows) {
  Csr<Value, Column> out;
  out.cols = csr.cols();
  out.row_start.push_back(0);
  for (const Index i : rows) {
    const Index from = csr.row_start[to_size(i)], to = csr.row_start[to_size(i) + 1];
    out.columns.insert(out.columns.end(), csr.columns.begin() + from, csr.columns.begin() + to);
    out.values.insert(out.values.end(), csr.values.begin() + from, csr.values.begin() + to);
    out.row_start.push_back(std::ssize(out.values));
  }
  return csr_matrix(std::move(out));
}

template <class Value>
MatrixPtr copy_range(const DenseRows<Value>& dense, RowRange range, const MatrixPtr& A, Keep keep) {
  const MatrixView<const Value> view{dense.view.row(range.first), range.last - range.first,
                                     dense.view.cols, dense.view.stride};
  if (keep == Keep::view) {
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
MatrixPtr copy_range(const CsrRows<Value, Column>& csr, RowRange range, const MatrixPtr&, Keep) {
  const Index from = csr.row_start[to_size(range.first)], to = csr.row_start[to_size(range.last)];
  Csr<Value, Column> out;
  out.cols = csr.cols_count;
  for (Index i = range.first; i <= range.last; ++i)
    out.row_start.push_back(csr.row_start[to_size(i)] - from);
  out.columns.assign(csr.columns.begin() + from, csr.columns.begin() + to);
  out.values.assign(csr.values.begin() + from, csr.values.begin() + to);
  return csr_matrix(std::move(out));
}

// Any matrix, row by row, as CSR.
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

MatrixPtr to_single(const MatrixPtr& A) {
  if (auto out = try_narrow<DenseRows<double>>(*A)) return out;
  if (auto out = try_narrow<CsrRows<double, std::int32_t>>(*A)) return out;
  if (auto out = try_narrow<CsrRows<double, Index>>(*A)) return out;
  return A;
}

MatrixPtr listed_rows(const RowMatrix& A, std::span<const Index> rows) {
  if (const auto* mapped = dynamic_cast<const MappedMatrix*>(&A)) {
    const MatrixPtr inner = listed_rows(*mapped->inner(), rows);
    return inner ? mapped_columns(inner, mapped->map()) : nullptr;
  }
  if (const auto* disk = dynamic_cast<const DiskRows*>(&A)) return disk->copy_of(rows);
  return as_stored(A, [&](const auto& stored) { return copy_listed(stored, rows); });
}

MatrixPtr rows_between(const MatrixPtr& A, RowRange range, Keep keep) {
  if (range.first < 0 || range.last < range.first || range.last > A->rows())
    throw Error(ErrorCode::bad_data,
                {.what = "these rows are not in the matrix",
                 .found = std::to_string(range.first) + " to " + std::to_string(range.last),
                 .expected = "within 0 to " + std::to_string(A->rows())});
  if (const auto* disk = dynamic_cast<const DiskRows*>(A.get())) return disk->part(range);
  if (auto out = as_stored(*A, [&](const auto& rows) { return copy_range(rows, range, A, keep); }))
    return out;
  return copy_entries(*A, range);
}

}  // namespace polyak
