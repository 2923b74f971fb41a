#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bench/seeds.hpp"
#include "bench/solve_contest.hpp"
#include "matrix/products.hpp"

namespace polyak::bench {
namespace {

constexpr double allowed_error = 1e-6;    // for well-conditioned problems
constexpr double allowed_over_qr = 10.0;  // times the error of QR
constexpr double allowed_norm = 1.01;     // times the least norm

double norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double one : v) sum += one * one;
  return std::sqrt(sum);
}

ConstView column(const std::vector<double>& v) { return {v.data(), std::ssize(v), 1, 1}; }

constexpr double min_error = 1e-17;  // not 0, so that ratios are finite

double norm2(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

}  // namespace

QualityJudge::QualityJudge(const Problem& problem, ThreadTeam& team)
    : problem_(problem),
      best_(refined_least_squares(problem.A(), problem.b(), team)),
      norms_(to_size(problem.cols()), 0.0) {
  std::vector<double> of_rows(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, of_rows, norms_);
  for (double& one : norms_) one = std::sqrt(one);
  allowed_ = allowed_error;
  if (unique()) allowed_ = std::max(allowed_, allowed_over_qr * best_.error);
  if (!best_.x_qr.empty())
    allowed_ = std::max(allowed_, allowed_over_qr * error(column(best_.x_qr)));
}

double QualityJudge::error(ConstView x) const {
  if (!unique()) return fit_error(x);
  std::vector<double> distance, size;
  for (Index j = 0; j < problem_.cols(); ++j) {
    const double d = norms_[to_size(j)], best = best_.x[to_size(j)];
    distance.push_back(d * (x(j, 0) - best));
    size.push_back(d * best);
  }
  const double all = norm(size);
  return all > 0.0 ? norm(distance) / all : norm(distance);
}

double QualityJudge::fit_error(ConstView x) const {
  const Index n = problem_.rows(), d = problem_.cols();
  std::vector<double> both;  // x − x* and x*
  for (Index j = 0; j < d; ++j) both.push_back(x(j, 0) - best_.x[to_size(j)]);
  both.insert(both.end(), best_.x.begin(), best_.x.end());
  std::vector<double> y(to_size(2 * n));
  problem_.A().multiply(0, n, {both.data(), 2, d, d}, {y.data(), n, 2, 2});
  double distance = 0.0, size = 0.0;
  for (Index i = 0; i < n; ++i) {
    distance += y[to_size(2 * i)] * y[to_size(2 * i)];
    size += y[to_size(2 * i + 1)] * y[to_size(2 * i + 1)];
  }
  return size > 0.0 ? std::sqrt(distance / size) : std::sqrt(distance);
}

bool QualityJudge::of_least_norm(ConstView x) const {
  std::vector<double> own, scaled, best_scaled;
  for (Index j = 0; j < problem_.cols(); ++j) {
    own.push_back(x(j, 0));
    scaled.push_back(norms_[to_size(j)] * x(j, 0));
    best_scaled.push_back(norms_[to_size(j)] * best_.x[to_size(j)]);
  }
  return norm(own) <= allowed_norm * norm(best_.x) ||
         norm(scaled) <= allowed_norm * norm(best_scaled);
}

bool QualityJudge::good(ConstView x) const {
  return error(x) <= allowed_ && (unique() || of_least_norm(x));
}

Judge::Judge(const Problem& problem, ThreadTeam& team) : problem_(problem), team_(team) {
  std::vector<double> norms2(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, norms2, {});
  frobenius_ = std::sqrt(std::accumulate(norms2.begin(), norms2.end(), 0.0));
  double b2 = 0.0;
  for (Index i = 0; i < problem.rows(); ++i) b2 += problem.b()(i, 0) * problem.b()(i, 0);
  b_norm_ = std::sqrt(b2);
}

double Judge::error(ConstView x) const {
  const ConstView best = problem_.reference();
  double distance = 0.0, size = 0.0;
  for (Index j = 0; j < best.cols; ++j) {
    distance += std::pow(x(j, 0) - best(0, j), 2);
    size += best(0, j) * best(0, j);
  }
  return std::max(min_error, std::sqrt(distance / size));
}

double Judge::backward_error(ConstView x) const {
  const Index d = problem_.cols();
  std::vector<double> at(to_size(d)), g(to_size(d)), residual2(1);
  for (Index j = 0; j < d; ++j) at[to_size(j)] = x(j, 0);
  Products(problem_.A(), {}, {}, team_)
      .full_gradient({at.data(), 1, d, d}, problem_.b(), {g.data(), 1, d, d}, residual2);
  const double r = std::sqrt(residual2[0]);
  if (r == 0.0) return min_error;
  const double fits = r / (frobenius_ * norm2(at) + b_norm_), flat = norm2(g) / (frobenius_ * r);
  return std::max(min_error, std::min(fits, flat));
}

}  // namespace polyak::bench
