#include "method/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "linalg/symmetric.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

double diagonal_spread(ConstView R) {
  double least = INFINITY, most = 0.0;
  for (Index j = 0; j < R.rows; ++j) {
    least = std::min(least, std::abs(R(j, j)));
    most = std::max(most, std::abs(R(j, j)));
  }
  return most / least;
}

// R is regular where its diagonal says so: cheap, and never far off.
bool regular(ConstView R) {
  return diagonal_spread(R) * static_cast<double>(R.rows) * 0x1p-52 < 1.0;
}

Buffer copy_of(ConstView m) {
  Buffer out(m.rows, m.cols);
  for (Index i = 0; i < m.rows; ++i) std::copy_n(m.row(i), m.cols, out.view().row(i));
  return out;
}

}  // namespace

Preconditioner Preconditioner::of_factor(Buffer R) {
  Preconditioner out;
  if (regular(R.view())) {
    out.factor_ = std::move(R);
    return out;
  }
  const Index d = R.rows();
  for (Index i = 0; i < d; ++i) std::fill_n(R.view().row(i), i, 0.0);
  Buffer H(d, d);
  gemm(1.0, R.view(), Transpose::yes, R.view(), Transpose::no, 0.0, H.view());
  return of_eigenvalues(std::move(H));
}

// The pivots of Cholesky are squares: a condition of 1/√eps shows as rounding.
Preconditioner Preconditioner::of_matrix(Buffer H) {
  Buffer R = copy_of(H.view());
  if (!cholesky(R.view()) || !regular(R.view())) return of_eigenvalues(std::move(H));
  Preconditioner out;
  out.factor_ = std::move(R);
  return out;
}

Preconditioner Preconditioner::of_eigenvalues(Buffer H) {
  const Index d = H.rows();
  std::vector<double> values(to_size(d));
  if (!symmetric_eigen(H.view(), values))
    throw Error(ErrorCode::internal, {.what = "the eigenvalues of A'A did not converge"});
  const double line = static_cast<double>(d) * 0x1p-52 * values.back();
  const Index first = std::upper_bound(values.begin(), values.end(), line) - values.begin();
  Preconditioner out;
  out.values_.assign(values.begin() + first, values.end());
  out.factor_ = copy_of(part(H.view(), first, 0, d - first, d));
  return out;
}

double Preconditioner::spread() const { return full_rank() ? diagonal_spread(R()) : INFINITY; }

void Preconditioner::apply(View g) const {
  if (full_rank()) {
    solve_right(R(), g);
    solve_right(R(), g, Transpose::yes);
    return;
  }
  const Index rank = factor_.rows();
  Buffer along(g.rows, rank);
  gemm(1.0, g, Transpose::no, factor_.view(), Transpose::yes, 0.0, along.view());
  for (Index c = 0; c < g.rows; ++c)
    for (Index j = 0; j < rank; ++j) along.view()(c, j) /= values_[to_size(j)];
  gemm(1.0, along.view(), Transpose::no, factor_.view(), Transpose::no, 0.0, g);
}

}  // namespace polyak
