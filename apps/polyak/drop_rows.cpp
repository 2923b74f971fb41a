#include <algorithm>
#include <cmath>

#include "solve_load.hpp"

namespace polyak::cli {
namespace {

bool finite_row(const ProblemData& data, Index i) {
  if (!std::isfinite(data.A->max_abs(i, i + 1))) return false;
  if (!data.weights.empty() && !std::isfinite(data.weights[to_size(i)])) return false;
  for (Index c = 0; c < data.b.cols(); ++c)
    if (!std::isfinite(data.b(i, c))) return false;
  return true;
}

std::vector<Index> finite_rows(const ProblemData& data) {
  std::vector<Index> kept;
  for (Index i = 0; i < data.A->rows(); ++i)
    if (finite_row(data, i)) kept.push_back(i);
  return kept;
}

MatrixPtr dense_rows(const RowMatrix& A, const std::vector<Index>& kept) {
  const Index n = std::ssize(kept), d = A.cols();
  std::vector<double> values(to_size(n * d));
  for (Index i = 0; i < n; ++i) {
    const Index row = kept[to_size(i)];
    A.copy_rows(row, row + 1, View{values.data() + i * d, 1, d, d});
  }
  return dense_matrix(std::move(values), n, d);
}

MatrixPtr sparse_rows(const RowMatrix& A, const std::vector<Index>& kept) {
  std::vector<Triplet> entries;
  std::vector<double> row(to_size(A.cols()));
  for (Index i = 0; i < std::ssize(kept); ++i) {
    const Index from = kept[to_size(i)];
    A.copy_rows(from, from + 1, View{row.data(), 1, A.cols(), A.cols()});
    for (Index j = 0; j < A.cols(); ++j)
      if (row[to_size(j)] != 0.0) entries.push_back({i, j, row[to_size(j)]});
  }
  return csr_from_triplets(std::move(entries), std::ssize(kept), A.cols());
}

MatrixPtr matrix_rows(const MatrixPtr& A, const std::vector<Index>& kept) {
  const bool dense = A->nonzeros() == A->rows() * A->cols();
  const MatrixPtr out = dense ? dense_rows(*A, kept) : sparse_rows(*A, kept);
  return A->kind().find("single") == std::string::npos ? out : to_single(out);
}

Array array_rows(const Array& values, const std::vector<Index>& kept) {
  std::vector<double> out;
  for (Index i : kept)
    for (Index c = 0; c < values.cols(); ++c) out.push_back(values(i, c));
  return Array(std::move(out), std::ssize(kept), values.cols());
}

}  // namespace

Index drop_nonfinite_rows(ProblemData& data) {
  const Index n = data.A->rows();
  const bool fits = data.b.rows() == n && (data.weights.empty() || std::ssize(data.weights) == n);
  if (!fits) return 0;  // Problem will say so
  const std::vector<Index> kept = finite_rows(data);
  const Index dropped = n - std::ssize(kept);
  if (dropped == 0) return 0;
  data.A = matrix_rows(data.A, kept);
  data.b = array_rows(data.b, kept);
  std::vector<double> weights;
  if (!data.weights.empty())
    for (Index i : kept) weights.push_back(data.weights[to_size(i)]);
  data.weights = std::move(weights);
  return dropped;
}

}  // namespace polyak::cli
