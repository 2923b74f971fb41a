#include "solve/run/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"

namespace polyak::internal {
namespace {

// With a ridge the problem is [A; √ridge·I]x = [b; 0], and so are its norms.
std::vector<double> columns_of(const Problem& problem, const MatrixFacts& facts) {
  std::vector<double> out = facts.column_norms;
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = std::hypot(out[j], std::sqrt(problem.ridge(static_cast<Index>(j))) * facts.scale.a);
  return out;
}

// ‖A‖_F² is the sum of no more than min(n, d) squared singular values.
double least_norm(const Problem& problem, double frobenius) {
  const Index rows = problem.ridge() > 0.0 ? problem.cols() : problem.rows();
  return frobenius /
         std::sqrt(static_cast<double>(std::max<Index>(1, std::min(rows, problem.cols()))));
}

// A norm in the user's units may be larger than any double.
double largest_if_beyond(double v) {
  return std::isinf(v) ? std::numeric_limits<double>::max() : v;
}

// The value as a multiple of its bound.
double above(double value, double bar) { return value == 0.0 ? 0.0 : value / bar; }

}  // namespace

Monitor::Monitor(const WorkingProblem& working, Backend& backend, double tol,
                 const std::optional<StopRule>& rule)
    : working_(working),
      problem_(working.problem()),
      facts_(working.facts()),
      backend_(backend),
      tol_(tol),
      unit_(facts_.scale.a / facts_.scale.b),
      columns_(columns_of(problem_, facts_)),
      frobenius_(norm_of_any_size(columns_.data(), std::ssize(columns_))),
      b_norm_(norm_of_any_size(facts_.b_norms.data(), std::ssize(facts_.b_norms))),
      rule_(rule),
      norm_(least_norm(problem_, user_frobenius())),
      g_block_(backend.make(Block::Kind::unknowns, problem_.right_hand_sides())),
      g_(to_size(g_block_.size())),
      residual2_(to_size(problem_.right_hand_sides())) {}

double Monitor::ridge_of(Index j) const {
  return problem_.ridge(j) * facts_.scale.a * facts_.scale.a;
}

// ‖A‖_F of the user's A, or of [A; √ridge·I].
double Monitor::user_frobenius() const {
  double sum2 = 0.0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const double unit = working_.map() ? working_.map()->units[j] : 1.0;
    const double size = unit == 0.0 ? 0.0 : columns_[j] / unit / facts_.scale.a;
    sum2 += size * size;
  }
  return std::sqrt(sum2);
}

void Monitor::add_ridge(ConstView x) {
  if (problem_.ridge() == 0.0) return;
  for (Index c = 0; c < x.rows; ++c) {
    for (Index j = 0; j < x.cols; ++j) {
      const double scaled = x(c, j) / unit_, ridge = ridge_of(j);
      g_[to_size(c * x.cols + j)] += ridge * scaled;
      residual2_[to_size(c)] += ridge * scaled * scaled;
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
  const ConstView reference = working_.user().reference();
  std::vector<double> difference = working_.to_user(x);
  for (Index i = 0; i < x.size(); ++i) difference[to_size(i)] -= reference.data[i];
  const double size = norm_of_any_size(reference.data, reference.size());
  const double away = norm_of_any_size(difference.data(), x.size());
  return size > 0.0 ? away / size : away;
}

double Monitor::size_of(ConstView x, Index c) const {
  double sum = 0.0;
  for (Index j = 0; j < x.cols; ++j) sum += columns_[to_size(j)] * std::abs(x(c, j) / unit_);
  return sum + facts_.b_norms[to_size(c)];
}

// A bound that is not positive proves nothing: the test is then infinite, or 0 from below.
Monitor::Tests Monitor::tests(ConstView x, Index c, const Errors& errors, double sign) const {
  const double* const g = g_.data() + c * x.cols;
  const double r2 = residual2_[to_size(c)];
  const double r = std::sqrt(std::max(r2 + sign * errors.residual2, 0.0));
  const double other = std::sqrt(std::max(r2 - sign * errors.residual2, 0.0));
  double largest = 0.0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (columns_[j] == 0.0 && g[j] == 0.0) continue;
    const double slope = std::abs(g[j]) / columns_[j] + sign * errors.gradient;
    if (!(slope <= largest)) largest = slope;
  }
  return {r == 0.0 ? 0.0 : r / size_of(x, c), largest == 0.0 ? 0.0 : largest / other};
}

// In the user's units x may be larger than any double.
bool Monitor::finite_for_user(ConstView x) const {
  if (!working_.map()) return true;
  const std::vector<double> user = working_.to_user(x);
  return std::all_of(user.begin(), user.end(), [](double v) { return std::isfinite(v); });
}

double Monitor::user_gradient() {
  const std::size_t d = columns_.size();
  for (std::size_t c = 0; c < residual2_.size(); ++c)
    working_.gradient_to_user(std::span(g_).subspan(c * d, d));
  return norm_of_any_size(g_.data(), std::ssize(g_)) * working_.residual_unit() *
         working_.residual_unit();
}

Monitor::Bars Monitor::bars(ConstView x, Index c) const {
  if (rule_) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    return {rule_->residual * facts_.scale.b / working_.residual_unit(),
            working_.map() ? unknown : rule_->cosine * norm_ * facts_.scale.a};
  }
  return {tol_ * size_of(x, c), tol_ * frobenius_};
}

Monitor::RidgePart Monitor::ridge_part(ConstView x, Index c, const double* u) const {
  RidgePart out{0.0, 0.0};
  for (Index j = 0; j < x.cols && problem_.ridge() > 0.0; ++j) {
    const double scaled = x(c, j) / unit_, ridge = ridge_of(j);
    out.residual2 += ridge * scaled * scaled;
    out.slope += ridge * scaled * u[j];
  }
  return out;
}

Measured Monitor::measure(const Block& block, ConstView x) {
  backend_.full_gradient(block, g_block_, residual2_, nullptr);
  backend_.read(g_block_, {g_.data(), x.rows, x.cols, x.cols});
  read_g_ = g_;
  read_residual2_ = residual2_;
  return judge(x, {});
}

// Both numbers of the model are those of the rows of A: their errors are bounded by the norms of
// the columns of A, which those of [A; √ridge·I] exceed. A rule of the caller has no such bounds.
std::optional<Measured> Monitor::measure_by(const NormalModel& model, ConstView x) {
  constexpr double digits = 1e-6;  // of ‖r‖: twice as large an error of ‖r‖²
  if (rule_ || problem_.has_bounds()) return std::nullopt;
  std::vector<Errors> errors;
  for (Index c = 0; c < x.rows; ++c) {
    const NormalModel::Value at = model.at(x.row(c), c, g_.data() + c * x.cols);
    if (!(at.residual2_error <= 2.0 * digits * at.residual2)) return std::nullopt;
    residual2_[to_size(c)] = at.residual2;
    errors.push_back({at.residual2_error, at.gradient_error});
  }
  Measured out = judge(x, errors);
  // Numbers that are mostly rounding do not show which x is better either.
  const bool decided =
      out.distance <= 1.0 || out.least_backward_error > std::max(tol_, 0.5 * out.backward_error);
  return out.finite && decided ? std::optional(std::move(out)) : std::nullopt;
}

Measured Monitor::judge(ConstView x, std::span<const Errors> errors) {
  const Index columns = x.rows, d = x.cols;
  double data2 = 0.0;
  for (double r2 : residual2_) data2 += r2;
  add_ridge(x);
  project_gradient(x);
  Measured out;
  double total2 = 0.0, worst_gradient = 0.0;
  for (Index c = 0; c < columns; ++c) {
    const Errors error = errors.empty() ? Errors{} : errors[to_size(c)];
    const Tests most = tests(x, c, error, 1.0);
    if (!errors.empty()) {
      const double more = most.nearer() - tests(x, c, {}, 0.0).nearer();
      out.rounding = std::max(out.rounding.value_or(0.0), more);
      out.least_backward_error =
          std::max(out.least_backward_error, tests(x, c, error, -1.0).nearer());
    }
    if (!(most.nearer() <= out.distance)) {
      out.distance = most.nearer();
      out.by_residual = most.by_residual <= most.by_gradient;
    }
    if (c == 0) out.by_residual = most.by_residual <= most.by_gradient;
    worst_gradient = std::max(worst_gradient, most.by_gradient);
    total2 += residual2_[to_size(c)];
  }
  out.backward_error = out.distance;
  out.distance = tol_ > 0.0           ? out.distance / tol_
                 : out.distance > 0.0 ? std::numeric_limits<double>::infinity()
                                      : 0.0;
  out.residual = std::sqrt(total2);
  const double scaled = norm_of_any_size(g_.data(), columns * d);
  out.gradient = largest_if_beyond(scaled / facts_.scale.a / facts_.scale.b);
  out.finite = std::isfinite(out.residual) && std::isfinite(scaled) && finite_for_user(x);
  const double gradient = user_gradient();
  out.line.residual_norm = std::sqrt(data2) / facts_.scale.b * working_.residual_unit();
  out.line.gradient_norm = largest_if_beyond(gradient / facts_.scale.a / facts_.scale.b);
  if (b_norm_ > 0.0) out.line.relative_residual = std::sqrt(data2) / b_norm_;
  out.line.relative_gradient = worst_gradient;
  if (working_.user().has_reference()) out.line.error = error(x);
  if (rule_) judge_by_rule(out);
  return out;
}

// ‖Aᵀr‖/‖r‖ is one more bound on ‖A‖ from below.
void Monitor::judge_by_rule(Measured& out) {
  const double r = out.residual / facts_.scale.b * working_.residual_unit(),
               g = out.line.gradient_norm;
  if (r > 0.0 && std::isfinite(g / r)) norm_ = std::max(norm_, g / r);
  const double by_residual = above(r, rule_->residual);
  const double by_gradient = above(g, std::max(rule_->gradient, rule_->cosine * norm_ * r));
  out.by_residual = by_residual <= by_gradient;
  out.distance = rule_->can_end() ? std::min(by_residual, by_gradient)
                                  : std::numeric_limits<double>::infinity();
  out.backward_error = out.distance * tol_;
}

// ‖r‖ ≥ ‖Ãᵀr‖/‖Ã‖_F, and some |g_j|/‖a_j‖ is at least ‖Ãᵀr‖/‖Ã‖_F, so that both tests of
// measure() have a lower bound. A rule applies to the user's columns: where these are scaled, the
// norms of the method do not bound it.
bool Monitor::surely_above(ConstView x, std::span<const double> gradient2,
                           double max_residual) const {
  if (rule_ && working_.map()) return false;
  for (std::size_t c = 0; c < gradient2.size(); ++c) {
    const auto row = static_cast<Index>(c);
    const double g = std::sqrt(gradient2[c]) / frobenius_;
    if (rule_) {
      const Bars bar = bars(x, row);
      const double least = rule_->gradient * facts_.scale.a * facts_.scale.b;
      if (g > bar.residual && g * frobenius_ > std::max(least, bar.gradient * max_residual))
        return true;
      continue;
    }
    if (g > tol_ * size_of(x, row) && g > tol_ * max_residual) return true;
  }
  return false;
}

}  // namespace polyak::internal
