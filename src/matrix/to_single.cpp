#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"
#include "polyak/matrices.hpp"

namespace polyak {
namespace {

MatrixPtr narrow(const DenseRows<double>& dense) {
  std::vector<float> values(to_size(dense.nonzeros()));
  for (Index i = 0; i < dense.rows(); ++i)
    for (Index j = 0; j < dense.cols(); ++j)
      values[to_size(i * dense.cols() + j)] = static_cast<float>(dense.view(i, j));
  return dense_matrix(std::move(values), dense.rows(), dense.cols());
}

template <class Column>
MatrixPtr narrow(const CsrRows<double, Column>& csr) {
  Csr<float, Column> out;
  out.cols = csr.cols_count;
  out.row_start.assign(csr.row_start.begin(), csr.row_start.end());
  out.columns.assign(csr.columns.begin(), csr.columns.end());
  out.values.reserve(csr.values.size());
  for (double v : csr.values) out.values.push_back(static_cast<float>(v));
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
