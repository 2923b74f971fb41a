#include "method/bounded_least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/svd.hpp"

namespace polyak::internal {

BoundedLeastSquares::BoundedLeastSquares(ConstView M) : m_(M.rows, M.cols) { equilibrate(M); }

// By the largest entry of each column, so that a column times a power of two changes no bit.
void BoundedLeastSquares::equilibrate(ConstView M) {
  const std::size_t d = to_size(M.cols);
  std::vector<double> largest(d, 0.0), squares(d, 0.0);
  for (Index i = 0; i < M.rows; ++i)
    for (std::size_t j = 0; j < d; ++j) largest[j] = std::max(largest[j], std::abs(M.row(i)[j]));
  std::vector<double> factors;
  for (double v : largest) {
    exponents_.push_back(v > 0.0 ? std::clamp(std::ilogb(v), -1000, 1000) : 0);
    factors.push_back(std::ldexp(1.0, -exponents_.back()));
  }
  for (Index i = 0; i < M.rows; ++i) {
    double* row = m_.view().row(i);
    for (std::size_t j = 0; j < d; ++j) {
      row[j] = M.row(i)[j] * factors[j];
      squares[j] += row[j] * row[j];
    }
  }
  for (double v : squares) norms_.push_back(std::sqrt(v));
}

const Buffer& BoundedLeastSquares::gram() {
  if (gram_.rows() == m_.cols()) return gram_;
  gram_ = Buffer(m_.cols(), m_.cols());
  add_gram(m_.view(), gram_.view());
  copy_upper_to_lower(gram_.view());
  return gram_;
}

void BoundedLeastSquares::solve(std::span<const double> s, Limits limits, std::span<double> x) {
  const std::size_t d = x.size();
  std::vector<double> lower(d), upper(d);
  std::vector<char> movable(d);
  FreeSet set{std::vector<double>(d), std::vector<char>(d)};
  for (std::size_t j = 0; j < d; ++j) {
    lower[j] = std::ldexp(limits.lower[j], exponents_[j]);
    upper[j] = std::ldexp(limits.upper[j], exponents_[j]);
    set.x[j] = std::clamp(std::ldexp(x[j], exponents_[j]), lower[j], upper[j]);
    movable[j] = lower[j] < upper[j] && norms_[j] > 0.0;
    set.free[j] = movable[j] && lower[j] < set.x[j] && set.x[j] < upper[j];
  }
  const Limits scaled{lower, upper};
  guess(s, scaled, movable, set);
  const SettledSet settled = settle_free_set(m_.view(), s, scaled, norms_, movable, set);
  if (!settled.full_rank) nearest(settled.without_gradient, scaled, x, set.x);
  if (settled.full_rank)
    rank_ = std::count_if(norms_.begin(), norms_.end(), [](double n) { return n > 0.0; });
  else if (!rank_)
    find_rank();
  for (std::size_t j = 0; j < d; ++j) {
    x[j] = set.x[j] <= lower[j]   ? limits.lower[j]
           : set.x[j] >= upper[j] ? limits.upper[j]
                                  : std::ldexp(set.x[j], -exponents_[j]);
  }
}

void BoundedLeastSquares::find_rank() {
  const Index m = m_.rows(), d = m_.cols();
  rank_ = singular_values(m_.view()).rank;
  if (m < d || *rank_ == d) return;
  Buffer R(m, d);
  std::copy_n(m_.data(), m * d, R.data());
  householder_r(R.view());
  dependent_ = dependences(part(R.view(), 0, 0, d, d), *rank_).columns;
  for (Dependence& one : dependent_)
    for (std::size_t k = 0; k < one.on.size(); ++k)
      one.by[k] =
          std::ldexp(one.by[k], exponents_[to_size(one.column)] - exponents_[to_size(one.on[k])]);
}

void BoundedLeastSquares::guess(std::span<const double> s, Limits limits,
                                std::span<const char> movable, FreeSet& set) {
  constexpr Index min_columns = 24;  // with fewer, columns that join one by one are as fast
  const Index m = m_.rows(), d = m_.cols();
  if (m < d || d <= min_columns) return;  // MᵀM is singular where m < d
  std::vector<double> q(to_size(d));
  gemm(1.0, {s.data(), 1, m, m}, Transpose::no, m_.view(), Transpose::no, 0.0, {q.data(), 1, d, d});
  FreeSet better = set;
  if (guess_free_set(gram().view(), q, limits, movable, better)) set = std::move(better);
}

// Of all x with the same fit, the one nearest to the start in the unknowns Z: the start plus the
// correction of least norm, in the units of the unscaled columns. x stays where that leaves the
// limits, or where the singular values left out change the fit.
void BoundedLeastSquares::nearest(const std::vector<Index>& Z, Limits limits,
                                  std::span<const double> start, std::span<double> x) const {
  const Index m = m_.rows(), k = std::ssize(Z);
  Buffer M(m, k), step(1, std::max(m, k)), fit(1, m);
  double size = 0.0;
  for (Index p = 0; p < k; ++p) {
    const std::size_t j = to_size(Z[to_size(p)]);
    const double away = std::ldexp(x[j], -exponents_[j]) - start[j];
    size += norms_[j] * std::abs(x[j]);
    for (Index i = 0; i < m; ++i) {
      M.view()(i, p) = std::ldexp(m_.view()(i, Z[to_size(p)]), exponents_[j]);
      fit.data()[i] += M.view()(i, p) * away;
    }
  }
  std::copy_n(fit.data(), m, step.data());
  const double share = dependent_share(m_.view());
  if (!least_squares_svd(M.view(), step.view(), share).ok) return;
  gemm(1.0, part(step.view(), 0, 0, 1, k), Transpose::no, M.view(), Transpose::yes, -1.0,
       fit.view());
  if (norm(fit.data(), m) > 16.0 * share * size) return;
  std::vector<double> near(to_size(k));
  for (Index p = 0; p < k; ++p) {
    const std::size_t j = to_size(Z[to_size(p)]);
    near[to_size(p)] = std::ldexp(start[j] + step.data()[p], exponents_[j]);
    if (near[to_size(p)] < limits.lower[j] || near[to_size(p)] > limits.upper[j]) return;
  }
  for (Index p = 0; p < k; ++p) x[to_size(Z[to_size(p)])] = near[to_size(p)];
}

}  // namespace polyak::internal
