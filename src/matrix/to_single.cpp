#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/large_arrays.hpp"
#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"
#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak {
namespace {

std::string shown(double v) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}

// NaN and Inf stay what they are; a number must not become one.
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

}  // namespace

MatrixPtr to_single(const MatrixPtr& A) {
  if (auto out = try_narrow<DenseRows<double>>(*A)) return out;
  if (auto out = try_narrow<CsrRows<double, std::int32_t>>(*A)) return out;
  if (auto out = try_narrow<CsrRows<double, Index>>(*A)) return out;
  return A;
}

}  // namespace polyak
