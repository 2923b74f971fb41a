#include "solve/stream/stream_tests.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "linalg/blas.hpp"

namespace polyak {
namespace {

constexpr double half_ulp = 0x1p-53;
constexpr double upwards = 1.01;  // for the rounding of the bounds themselves

double gamma_of(double additions) { return additions * half_ulp / (1.0 - additions * half_ulp); }

double ratio_of(double above, double below) { return above == 0.0 ? 0.0 : above / below; }

// One right-hand side at one x, in the mapped problem.
class Side {
 public:
  // x = base + step, and rhs = b − A·base.
  struct Point {
    std::span<const double> base, step;
    ConstView rhs;
    double rhs_norm;
  };

  Side(const Triangle& triangle, const TriangleFit& fit, double ridge, Index k, const Point& at)
      : fit_(fit), J_(triangle.unknowns()), height_(triangle.height()), columns_(fit.norms) {
    root_ridge_.assign(to_size(J_), 0.0);
    for (Index j = 0; j < triangle.d; ++j)
      root_ridge_[to_size(j)] = std::sqrt(ridge) * fit.map.units[to_size(j)];
    for (std::size_t j = 0; j < columns_.size(); ++j)
      columns_[j] = std::hypot(columns_[j], root_ridge_[j]);
    const bool from_start =
        std::any_of(at.base.begin(), at.base.end(), [](double v) { return v != 0.0; });
    z_.assign(at.step.begin(), at.step.end());
    for (std::size_t j = 0; j < z_.size(); ++j) z_[j] += at.base[j];
    const std::vector<double> r = residual(at, k);
    norm_ = norm(r.data(), height_);
    gradient_ = products(r);
    terms_ = fit.b_norms[to_size(k)] + size_of(z_);
    const double e = from_start ? gamma_of(static_cast<double>(J_) / 8.0 + 24.0) : 0.0;
    // The sum of base and step is rounded once.
    const double of_start = e * (fit.b_norms[to_size(k)] + size_of(at.base)) +
                            (from_start ? half_ulp * size_of(z_) : 0.0);
    const double eta = triangle.rounding + gamma_of(2.0 * static_cast<double>(J_) + 16.0);
    const double T = at.rhs_norm + size_of(at.step);
    norm_error_ = upwards * (eta * T + of_start);
    gradient_error_ = upwards * (eta * (norm_ + T) + of_start);
  }

  double residual_norm() const { return norm_; }
  double residual_error() const { return norm_error_; }
  double backward_error() const { return std::min(by_residual(0.0), by_gradient(0.0)); }
  bool residual_decides() const { return by_residual(0.0) <= by_gradient(0.0); }
  double bound() const { return std::min(by_residual(1.0), by_gradient(1.0)); }

  // With `errors` 1 no less than the exact number, with 0 the computed one.
  double by_residual(double errors) const {
    return ratio_of(with_ridge(norm_ + errors * norm_error_), terms_);
  }
  double by_gradient(double errors) const {
    double largest = 0.0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (columns_[j] == 0.0) continue;
      const double one = std::abs(slope(j)) / columns_[j] + errors * gradient_error_;
      if (!(one <= largest)) largest = one;
    }
    return ratio_of(largest, with_ridge(std::max(0.0, norm_ - errors * norm_error_)));
  }

  // ‖Aᵀr‖² in the user's columns and units, with the ridge.
  double user_gradient2() const {
    std::vector<double> user(to_size(J_));
    for (std::size_t j = 0; j < user.size(); ++j)
      if (const double unit = fit_.map.units[j]; unit != 0.0)
        user[j] = slope(j) / unit / fit_.scale_b;
    for (std::size_t j = 0; j < fit_.map.centre.size(); ++j)
      user[j] += fit_.map.centre[j] * user.back();
    const double size = norm_of_any_size(user.data(), J_);
    return size * size;
  }

 private:
  // The rows of the ridge below A.
  double with_ridge(double residual) const {
    double sum = residual * residual;
    for (std::size_t j = 0; j < root_ridge_.size(); ++j) {
      const double v = root_ridge_[j] * z_[j];
      sum += v * v;
    }
    return std::sqrt(sum);
  }
  double slope(std::size_t j) const {
    return gradient_[j] + root_ridge_[j] * root_ridge_[j] * z_[j];
  }
  double size_of(std::span<const double> v) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < v.size(); ++j) sum += fit_.norms[j] * std::abs(v[j]);
    return sum;
  }

  std::vector<double> residual(const Point& at, Index k) const {
    std::vector<double> out(to_size(height_));
    for (Index i = 0; i < height_; ++i) {
      double sum = -at.rhs(i, k);
      for (Index j = i; j < J_; ++j) sum += fit_.S.view()(i, j) * at.step[to_size(j)];
      out[to_size(i)] = sum;
    }
    return out;
  }
  std::vector<double> products(const std::vector<double>& r) const {
    std::vector<double> out(to_size(J_), 0.0);
    for (Index i = 0; i < height_; ++i)
      for (Index j = i; j < J_; ++j) out[to_size(j)] += fit_.S.view()(i, j) * r[to_size(i)];
    return out;
  }

  const TriangleFit& fit_;
  Index J_, height_;
  std::vector<double> columns_, root_ridge_, z_, gradient_;
  double norm_ = 0.0, terms_ = 0.0, norm_error_ = 0.0, gradient_error_ = 0.0;
};

void add_side(const Side& side, bool first, StreamTests& out) {
  if (first || side.backward_error() > out.backward_error)
    out.residual_decides = side.residual_decides();
  out.by_gradient = std::max(out.by_gradient, side.by_gradient(0.0));
  out.backward_error = std::max(out.backward_error, side.backward_error());
  out.bound = std::max(out.bound, side.bound());
}

template <class PointOf>
StreamTests tests_of(const Triangle& triangle, const TriangleFit& fit, double ridge,
                     PointOf point_of) {
  StreamTests out;
  double residual2 = 0.0, error2 = 0.0, gradient2 = 0.0;
  for (Index k = 0; k < triangle.c; ++k) {
    const Side side(triangle, fit, ridge, k, point_of(k));
    add_side(side, k == 0, out);
    residual2 += side.residual_norm() * side.residual_norm();
    error2 += side.residual_error() * side.residual_error();
    gradient2 += side.user_gradient2();
  }
  out.residual_norm = std::sqrt(residual2) / fit.scale_b;
  out.residual_error = std::sqrt(error2) / fit.scale_b;
  out.gradient_norm = std::sqrt(gradient2);
  return out;
}

}  // namespace

StreamTests test_fit(const Triangle& triangle, const TriangleFit& fit, double ridge) {
  const std::size_t J = to_size(triangle.unknowns());
  return tests_of(triangle, fit, ridge, [&](Index k) {
    return Side::Point{std::span(fit.base).subspan(to_size(k) * J, J),
                       std::span(fit.step).subspan(to_size(k) * J, J), fit.rhs.view(),
                       fit.rhs_norms[to_size(k)]};
  });
}

StreamTests test_at_zero(const Triangle& triangle, const TriangleFit& fit, double ridge) {
  const std::vector<double> zero(to_size(triangle.unknowns()), 0.0);
  return tests_of(triangle, fit, ridge, [&](Index k) {
    return Side::Point{zero, zero, fit.b.view(), fit.b_norms[to_size(k)]};
  });
}

}  // namespace polyak
