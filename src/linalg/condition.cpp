// The condition of a small triangle, without a random start and without LAPACK, whose calls would
// take longer than the sums.

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/factor.hpp"

namespace polyak::internal {
namespace {

// MᵀM.
Buffer gram_of(const Buffer& M) {
  const Index d = M.cols();
  Buffer out(d, d);
  for (Index k = 0; k < M.rows(); ++k) {
    const double* const m = M.view().row(k);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j) out.view()(i, j) += m[i] * m[j];
  }
  return out;
}

double squared_norm(const Buffer& M) {
  double sum = 0.0;
  for (Index k = 0; k < M.rows() * M.cols(); ++k) sum += M.data()[k] * M.data()[k];
  return sum;
}

// ‖M‖² ≤ (tr S⁸)^(1/8) ≤ d^(1/8)·‖M‖² for S = MᵀM. Its largest entry is on the diagonal, and is
// made 1, so that no power overflows.
double squared_norm_bound(const Buffer& M) {
  Buffer S = gram_of(M);
  double largest = 0.0;
  for (Index j = 0; j < S.rows(); ++j) largest = std::max(largest, S.view()(j, j));
  for (Index k = 0; k < S.rows() * S.cols(); ++k) S.data()[k] /= largest;
  const Buffer fourth = gram_of(gram_of(S));
  return largest * std::sqrt(std::sqrt(std::sqrt(squared_norm(fourth))));
}

// The upper triangle of R, divided by `unit`.
Buffer triangle_of(ConstView R, double unit) {
  Buffer out(R.cols, R.cols);
  for (Index i = 0; i < R.cols; ++i)
    for (Index j = i; j < R.cols; ++j) out.view()(i, j) = R(i, j) / unit;
  return out;
}

// Row j of the result is column j of R⁻¹.
Buffer transposed_inverse(const Buffer& R) {
  const Index d = R.cols();
  Buffer out(d, d);
  for (Index j = 0; j < d; ++j) {
    double* const u = out.view().row(j);
    u[j] = 1.0 / R.view()(j, j);
    for (Index i = j - 1; i >= 0; --i) {
      double sum = 0.0;
      for (Index k = i + 1; k <= j; ++k) sum += R.view()(i, k) * u[k];
      u[i] = -sum / R.view()(i, i);
    }
  }
  return out;
}

}  // namespace

double condition_bound(ConstView R) {
  double unit = 0.0;
  for (Index j = 0; j < R.cols; ++j) unit = std::max(unit, std::abs(R(j, j)));
  if (!(unit > 0.0)) return R.cols == 0 ? 1.0 : std::numeric_limits<double>::infinity();
  const Buffer scaled = triangle_of(R, unit);
  const double bound = std::sqrt(squared_norm_bound(scaled)) *
                       std::sqrt(squared_norm_bound(transposed_inverse(scaled)));
  return std::isfinite(bound) ? bound : std::numeric_limits<double>::infinity();
}

}  // namespace polyak::internal
