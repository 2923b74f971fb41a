#include "method/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "linalg/symmetric.hpp"
#include "polyak/error.hpp"
#include "spectrum/lanczos.hpp"

namespace polyak {
namespace {

// An upper bound, with probability 0.999, on the largest eigenvalue of what `apply`
// is: Kuczynski and Wozniakowski's, for Lanczos from a random start. Up to 3000
// columns it is at most 1.33 times the eigenvalue.
template <class Apply>
double largest_eigenvalue(Index d, Apply apply) {
  constexpr Index steps = 12;
  constexpr double failure = 1e-3;
  const RitzValues ritz = lanczos(d, steps, Random(0, stream::lanczos), apply);
  if (ritz.exhausted) return ritz.values.back();
  const double m = static_cast<double>(ritz.values.size());
  const double gap =
      std::pow(std::log(1.648 * std::sqrt(static_cast<double>(d)) / failure) / (2.0 * m - 1.0), 2);
  return ritz.values.back() / (1.0 - std::min(0.5, gap));
}

// R as a product: out = Rᵀ(R·v).
void multiply_twice(ConstView R, std::span<const double> v, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index i = 0; i < R.rows; ++i) {
    const double* row = R.row(i);
    double s = 0.0;
    for (Index j = i; j < R.cols; ++j) s += row[j] * v[to_size(j)];
    for (Index j = i; j < R.cols; ++j) out[to_size(j)] += s * row[j];
  }
}

double condition_of(ConstView R) {
  const Index d = R.rows;
  for (Index j = 0; j < d; ++j)
    if (!(std::abs(R(j, j)) > 0.0)) return INFINITY;
  const double top = largest_eigenvalue(
      d, [&](std::span<const double> v, std::span<double> out) { multiply_twice(R, v, out); });
  const double inverse =
      largest_eigenvalue(d, [&](std::span<const double> v, std::span<double> out) {
        std::copy(v.begin(), v.end(), out.begin());
        const View row{out.data(), 1, d, d};
        solve_right(R, row);
        solve_right(R, row, Transpose::yes);
      });
  const double condition = std::sqrt(top) * std::sqrt(inverse);
  return std::isfinite(condition) ? condition : INFINITY;
}

Buffer copy_of(ConstView m) {
  Buffer out(m.rows, m.cols);
  for (Index i = 0; i < m.rows; ++i) std::copy_n(m.row(i), m.cols, out.view().row(i));
  return out;
}

}  // namespace

Preconditioner Preconditioner::of_factor(Buffer R) {
  Preconditioner out;
  out.condition_ = condition_of(R.view());
  if (out.condition_ * static_cast<double>(R.rows()) * 0x1p-52 < 1.0) {
    out.factor_ = std::move(R);
    return out;
  }
  const Index d = R.rows();
  for (Index i = 0; i < d; ++i) std::fill_n(R.view().row(i), i, 0.0);
  Buffer H(d, d);
  gemm(1.0, R.view(), Transpose::yes, R.view(), Transpose::no, 0.0, H.view());
  return of_eigenvalues(std::move(H));
}

// The condition of H is that of R squared: rounding of H beyond a quarter of its
// smallest eigenvalue leaves nothing that further steps could mend.
Preconditioner Preconditioner::of_matrix(Buffer H) {
  Buffer R = copy_of(H.view());
  if (!cholesky(R.view())) return of_eigenvalues(std::move(H));
  Preconditioner out;
  out.condition_ = condition_of(R.view());
  if (!(out.condition_ * out.condition_ * 0x1p-52 < 0.25)) return of_eigenvalues(std::move(H));
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
  out.condition_ = INFINITY;
  if (first < d) out.condition_of_rest_ = std::sqrt(values.back() / values[to_size(first)]);
  out.null_space_ = Buffer(d, first);
  for (Index k = 0; k < first; ++k)
    for (Index j = 0; j < d; ++j) out.null_space_.view()(j, k) = H.view()(k, j);
  return out;
}

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
