#include "method/preconditioner.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/reference.hpp"
#include "linalg/blas.hpp"
#include "linalg/svd.hpp"
#include "polyak/error.hpp"
#include "spectrum/eigenvalues.hpp"

namespace polyak::internal {
namespace {

// An upper bound, with probability 0.999, on the largest eigenvalue of the operator `apply`
// (Kuczynski and Wozniakowski, for Lanczos from a random start). Up to 3000 columns it is at
// most 1.33 times the eigenvalue.
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
    const double s =
        kernels::lane_sum(R.cols - i, [&](Index j) { return row[i + j] * v[to_size(i + j)]; });
    for (Index j = i; j < R.cols; ++j) out[to_size(j)] += s * row[j];
  }
}

double condition_of(ConstView R) {
  constexpr Index few = 16;  // then the bound is below 1.42 times the condition
  if (R.rows <= few) return condition_bound(R);
  // The condition is at least the ratio of two entries of the diagonal. Beyond 2^200 nothing is
  // resolved, and its fourth power would overflow in the Lanczos steps.
  constexpr double negligible = 0x1p-200;
  const Index d = R.rows;
  double largest = 0.0;
  for (Index j = 0; j < d; ++j) largest = std::max(largest, std::abs(R(j, j)));
  for (Index j = 0; j < d; ++j)
    if (!(std::abs(R(j, j)) > negligible * largest)) return INFINITY;
  const double unit = d > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
  const double top = largest_eigenvalue(
      d, [&](std::span<const double> v, std::span<double> out) { multiply_twice(R, v, out); });
  // Where R has many small entries on its diagonal, those of R⁻¹ are their product.
  constexpr double unresolved = 0x1p400;
  bool beyond = false;
  const double inverse =
      largest_eigenvalue(d, [&](std::span<const double> v, std::span<double> out) {
        const View row{out.data(), 1, d, d};
        std::transform(v.begin(), v.end(), out.begin(), [&](double x) { return x * unit; });
        solve_right(R, row);
        for (double& x : out) x *= unit;
        solve_right(R, row, Transpose::yes);
        beyond = beyond || !std::all_of(out.begin(), out.end(),
                                        [](double x) { return std::abs(x) < unresolved; });
        if (beyond) std::fill(out.begin(), out.end(), 0.0);
      });
  if (beyond) return INFINITY;
  const double condition = std::sqrt(top) * std::sqrt(inverse) / unit;
  return std::isfinite(condition) ? condition : INFINITY;
}

// Of H = RᵀR, by the condition of R.
bool resolved(double condition) { return condition * condition * 0x1p-52 < 0.25; }

// The columns, by Gram and Schmidt, twice.
void make_orthonormal(View N) {
  const auto dot = [&](Index s, Index t) {
    double sum = 0.0;
    for (Index j = 0; j < N.rows; ++j) sum += N(j, s) * N(j, t);
    return sum;
  };
  for (Index t = 0; t < N.cols; ++t) {
    for (int again = 0; again < 2; ++again)
      for (Index s = 0; s < t; ++s) {
        const double along = dot(s, t);
        for (Index j = 0; j < N.rows; ++j) N(j, t) -= along * N(j, s);
      }
    const double size = std::sqrt(dot(t, t));
    for (Index j = 0; j < N.rows; ++j) N(j, t) /= size;
  }
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

// The condition of H is that of R squared: where the rounding of H exceeds a quarter of its
// smallest eigenvalue, further steps do not converge.
Preconditioner Preconditioner::of_matrix(ConstView H) {
  Preconditioner out;
  out.factor_ = copy_of(H);
  if (cholesky(out.factor_.view())) {
    out.condition_ = condition_of(out.R());
    if (resolved(out.condition_)) return out;
  }
  out = {};  // frees the factor before the next one is made
  return of_pivots(H);
}

Preconditioner Preconditioner::of_pivots(ConstView H) {
  Preconditioner out;
  out.condition_ = INFINITY;
  const Index d = H.rows;
  double largest = 0.0;
  for (Index j = 0; j < d; ++j) largest = std::max(largest, H(j, j));
  Buffer R = copy_of(H);
  std::vector<Index> order(to_size(d));
  const Index rank = pivoted_cholesky(R.view(), order, static_cast<double>(d) * 0x1p-52 * largest);
  const Index k = d - rank;
  if (rank == 0 || k == 0 || k > max_dependent) return out;
  const ConstView R11 = part(R.view(), 0, 0, rank, rank);
  out.condition_of_rest_ = condition_of(R11);
  if (!resolved(out.condition_of_rest_)) return out;
  Dependences found = dependences(R.view(), order, rank);
  out.null_space_ = std::move(found.null_space);
  out.dependent_ = std::move(found.columns);
  make_orthonormal(out.null_space_.view());
  out.factor_ = copy_of(R11);
  out.order_ = std::move(order);
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

void Preconditioner::remove_null_space(View g) const {
  const ConstView N = null_space_.view();
  for (Index c = 0; c < g.rows; ++c)
    for (Index k = 0; k < N.cols; ++k) {
      double along = 0.0;
      for (Index j = 0; j < N.rows; ++j) along += N(j, k) * g(c, j);
      for (Index j = 0; j < N.rows; ++j) g(c, j) -= along * N(j, k);
    }
}

// The solution with zeros for the dependent columns, then without its null space part.
void Preconditioner::apply_pivoted(View g) const {
  const Index rank = factor_.rows();
  remove_null_space(g);
  Buffer z(g.rows, rank);
  for (Index c = 0; c < g.rows; ++c)
    for (Index i = 0; i < rank; ++i) z.view()(c, i) = g(c, order_[to_size(i)]);
  solve_right(R(), z.view());
  solve_right(R(), z.view(), Transpose::yes);
  for (Index c = 0; c < g.rows; ++c) {
    std::fill_n(g.row(c), g.cols, 0.0);
    for (Index i = 0; i < rank; ++i) g(c, order_[to_size(i)]) = z.view()(c, i);
  }
  remove_null_space(g);
}

void Preconditioner::apply(View g) const {
  if (!order_.empty()) return apply_pivoted(g);
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

}  // namespace polyak::internal
