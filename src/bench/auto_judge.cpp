#include "bench/auto_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyak::bench {
namespace {

constexpr double enough = 1e-6, of_qr = 10.0, of_least = 1.01;

double norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double one : v) sum += one * one;
  return std::sqrt(sum);
}

ConstView column(const std::vector<double>& v) { return {v.data(), std::ssize(v), 1, 1}; }

}  // namespace

QualityJudge::QualityJudge(const Problem& problem, ThreadTeam& team)
    : problem_(problem),
      best_(refined_least_squares(problem.A(), problem.b(), team)),
      norms_(to_size(problem.cols()), 0.0) {
  std::vector<double> of_rows(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, of_rows, norms_);
  for (double& one : norms_) one = std::sqrt(one);
  allowed_ = enough;
  if (unique()) allowed_ = std::max(allowed_, of_qr * best_.error);
  if (!best_.x_qr.empty()) allowed_ = std::max(allowed_, of_qr * error(column(best_.x_qr)));
}

double QualityJudge::error(ConstView x) const {
  if (!unique()) return fit_error(x);
  std::vector<double> away, size;
  for (Index j = 0; j < problem_.cols(); ++j) {
    const double d = norms_[to_size(j)], best = best_.x[to_size(j)];
    away.push_back(d * (x(j, 0) - best));
    size.push_back(d * best);
  }
  const double all = norm(size);
  return all > 0.0 ? norm(away) / all : norm(away);
}

double QualityJudge::fit_error(ConstView x) const {
  const Index n = problem_.rows(), d = problem_.cols();
  std::vector<double> both;  // x − x* and x*
  for (Index j = 0; j < d; ++j) both.push_back(x(j, 0) - best_.x[to_size(j)]);
  both.insert(both.end(), best_.x.begin(), best_.x.end());
  std::vector<double> y(to_size(2 * n));
  problem_.A().multiply(0, n, {both.data(), 2, d, d}, {y.data(), n, 2, 2});
  double away = 0.0, size = 0.0;
  for (Index i = 0; i < n; ++i) {
    away += y[to_size(2 * i)] * y[to_size(2 * i)];
    size += y[to_size(2 * i + 1)] * y[to_size(2 * i + 1)];
  }
  return size > 0.0 ? std::sqrt(away / size) : std::sqrt(away);
}

bool QualityJudge::of_least_norm(ConstView x) const {
  std::vector<double> own, scaled, best_scaled;
  for (Index j = 0; j < problem_.cols(); ++j) {
    own.push_back(x(j, 0));
    scaled.push_back(norms_[to_size(j)] * x(j, 0));
    best_scaled.push_back(norms_[to_size(j)] * best_.x[to_size(j)]);
  }
  return norm(own) <= of_least * norm(best_.x) || norm(scaled) <= of_least * norm(best_scaled);
}

bool QualityJudge::good(ConstView x) const {
  return error(x) <= allowed_ && (unique() || of_least_norm(x));
}

}  // namespace polyak::bench
