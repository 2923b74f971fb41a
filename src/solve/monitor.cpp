#include "solve/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/norm.hpp"

namespace polyak {
namespace {

// ‖A‖_F² is the sum of no more than min(n, d) squared singular values.
double least_norm(const Problem& problem, double frobenius) {
  const Index rows = problem.ridge() > 0.0 ? problem.cols() : problem.rows();
  return frobenius / std::sqrt(static_cast<double>(std::max<Index>(1, std::min(rows, problem.cols()))));
}

// How many times a bar is passed.
double above(double value, double bar) { return value == 0.0 ? 0.0 : value / bar; }

}  // namespace

Monitor::Monitor(const Problem& problem, const MatrixFacts& facts, Products& products, double tol,
                 const std::optional<StopRule>& rule)
    : problem_(problem),
      facts_(facts),
      products_(products),
      tol_(tol),
      ridge_(problem.ridge() * facts.scale.a * facts.scale.a),
      unit_(facts.scale.a / facts.scale.b),
      // With a ridge the problem is [A; √ridge·I]x = [b; 0], and so are its norms.
      frobenius_(std::sqrt(facts.frobenius2 + ridge_ * static_cast<double>(problem.cols()))),
      b_norm_(norm_of_any_size(facts.b_norms.data(), std::ssize(facts.b_norms))),
      rule_(rule),
      norm_(least_norm(problem, frobenius_) / facts.scale.a),
      g_(to_size(problem.right_hand_sides() * problem.cols())),
      residual2_(to_size(problem.right_hand_sides())) {}

void Monitor::add_ridge(ConstView x) {
  if (ridge_ == 0.0) return;
  for (Index c = 0; c < x.rows; ++c) {
    for (Index j = 0; j < x.cols; ++j) {
      const double scaled = x(c, j) / unit_;
      g_[to_size(c * x.cols + j)] += ridge_ * scaled;
      residual2_[to_size(c)] += ridge_ * scaled * scaled;
    }
  }
}

// At a bound only the inward part of the gradient counts.
void Monitor::project_gradient(ConstView x) {
  if (!problem_.has_bounds()) return;
  for (Index c = 0; c < x.rows; ++c) {
    for (Index j = 0; j < x.cols; ++j) {
      double& g = g_[to_size(c * x.cols + j)];
      if (x(c, j) <= problem_.lower()[to_size(j)]) g = std::min(g, 0.0);
      if (x(c, j) >= problem_.upper()[to_size(j)]) g = std::max(g, 0.0);
    }
  }
}

double Monitor::error(ConstView x) const {
  const ConstView reference = problem_.reference();
  std::vector<double> difference(to_size(x.size()));
  for (Index i = 0; i < x.size(); ++i)
    difference[to_size(i)] = x.data[i] - reference.data[i];
  const double size = norm_of_any_size(reference.data, reference.size());
  const double away = norm_of_any_size(difference.data(), x.size());
  return size > 0.0 ? away / size : away;
}

double Monitor::size_of(ConstView x, Index c) const {
  return frobenius_ * (norm_of_any_size(x.row(c), x.cols) / unit_) + facts_.b_norms[to_size(c)];
}

Monitor::Bars Monitor::bars(ConstView x, Index c) const {
  if (rule_)
    return {rule_->residual * facts_.scale.b, rule_->cosine * norm_ * facts_.scale.a};
  return {tol_ * size_of(x, c), tol_ * frobenius_};
}

Monitor::RidgePart Monitor::ridge_part(ConstView x, Index c, const double* u) const {
  RidgePart out{0.0, 0.0};
  for (Index j = 0; j < x.cols && ridge_ > 0.0; ++j) {
    const double scaled = x(c, j) / unit_;
    out.residual2 += ridge_ * scaled * scaled;
    out.slope += ridge_ * scaled * u[j];
  }
  return out;
}

Measured Monitor::measure(ConstView x) {
  const Index columns = x.rows, d = x.cols;
  products_.full_gradient(x, problem_.b(), {g_.data(), columns, d, d}, residual2_);
  double data2 = 0.0;
  for (double r2 : residual2_) data2 += r2;
  add_ridge(x);
  project_gradient(x);
  Measured out;
  double total2 = 0.0, worst_gradient = 0.0;
  for (Index c = 0; c < columns; ++c) {
    const double r = std::sqrt(residual2_[to_size(c)]);
    const double g = norm_of_any_size(g_.data() + c * d, d);
    const double by_residual = r == 0.0 ? 0.0 : r / size_of(x, c);
    const double by_gradient = g == 0.0 ? 0.0 : g / (frobenius_ * r);
    const double nearer = std::min(by_residual, by_gradient);
    if (!(nearer <= out.distance)) {
      out.distance = nearer;
      out.by_residual = by_residual <= by_gradient;
    }
    if (c == 0) out.by_residual = by_residual <= by_gradient;
    worst_gradient = std::max(worst_gradient, by_gradient);
    total2 += residual2_[to_size(c)];
  }
  out.backward_error = out.distance;
  out.distance = tol_ > 0.0 ? out.distance / tol_
                 : out.distance > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
  out.residual = std::sqrt(total2);
  const double gradient = norm_of_any_size(g_.data(), columns * d);
  out.finite = std::isfinite(out.residual) && std::isfinite(gradient);
  out.line.residual_norm = std::sqrt(data2) / facts_.scale.b;
  out.line.gradient_norm = gradient / facts_.scale.a / facts_.scale.b;
  if (b_norm_ > 0.0) out.line.relative_residual = std::sqrt(data2) / b_norm_;
  out.line.relative_gradient = worst_gradient;
  if (problem_.has_reference()) out.line.error = error(x);
  if (rule_) judge_by_rule(out);
  return out;
}

// ‖Aᵀr‖/‖r‖ is one more bound on ‖A‖ from below.
void Monitor::judge_by_rule(Measured& out) {
  const double r = out.residual / facts_.scale.b, g = out.line.gradient_norm;
  if (r > 0.0 && std::isfinite(g / r)) norm_ = std::max(norm_, g / r);
  const double by_residual = above(r, rule_->residual);
  const double by_gradient = above(g, std::max(rule_->gradient, rule_->cosine * norm_ * r));
  out.by_residual = by_residual <= by_gradient;
  out.distance = rule_->can_end() ? std::min(by_residual, by_gradient)
                                  : std::numeric_limits<double>::infinity();
  out.backward_error = out.distance * tol_;
}

// ‖r‖ ≥ ‖Ãᵀr‖/‖Ã‖_F, so that both tests of measure() have a lower bound.
bool Monitor::surely_above(ConstView x, std::span<const double> gradient2,
                           double most_residual) const {
  for (std::size_t c = 0; c < gradient2.size(); ++c) {
    const auto row = static_cast<Index>(c);
    const double g = std::sqrt(gradient2[c]) / frobenius_;
    if (rule_) {
      const Bars bar = bars(x, row);
      const double least = rule_->gradient * facts_.scale.a * facts_.scale.b;
      if (g > bar.residual && g * frobenius_ > std::max(least, bar.gradient * most_residual))
        return true;
      continue;
    }
    if (g > tol_ * size_of(x, row) && g > tol_ * most_residual) return true;
  }
  return false;
}

}  // namespace polyak
