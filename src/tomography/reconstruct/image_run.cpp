#include "tomography/reconstruct/image_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "polyak/simd.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

ImageRun::ImageRun(const Problem& problem, const ReconstructOptions& options, StopRules& rules)
    : problem_(problem),
      o_(options),
      rules_(rules),
      team_(static_cast<int>(options.threads)),
      products_(problem.A(), problem.weights(), {}, team_),
      g_(to_size(problem.cols() * problem.right_hand_sides())),
      residual2_(to_size(problem.right_hand_sides())) {
  const ConstView b = problem.b();
  for (Index i = 0; i < b.rows; ++i) {
    const double w = problem.weights().empty() ? 1.0 : problem.weights()[to_size(i)];
    for (Index c = 0; c < b.cols; ++c) b2_ += w * b(i, c) * b(i, c);
  }
  Report& report = out_.report;
  report.method = options.method;
  report.rows = problem.rows();
  report.cols = problem.cols();
  report.nnz = problem.A().nonzeros();
  report.right_hand_sides = problem.right_hand_sides();
  report.matrix = problem.A().kind();
  report.seed = options.seed;
  report.threads = team_.size();
  report.simd = simd_target();
}

bool ImageRun::measures_now() const {
  const Index every = std::max<Index>(1, static_cast<Index>(o_.measure_every.value_or(1.0)));
  return rules_.active() || out_.report.iterations % every == 0;
}

void ImageRun::measure(ConstView x) {
  Report& report = out_.report;
  timed(report.seconds.measure, [&] {
    products_.full_gradient(x, problem_.b(), {g_.data(), x.rows, x.cols, x.cols}, residual2_);
  });
  Measurement m;
  m.iteration = report.iterations;
  m.row_products = report.row_products;
  m.seconds = report.seconds.solve;
  double r2 = 0.0, g2 = 0.0;
  for (double v : residual2_) r2 += v;
  for (double v : g_) g2 += v * v;
  m.residual_norm = std::sqrt(r2);
  m.gradient_norm = std::sqrt(g2);
  if (b2_ > 0.0) m.relative_residual = std::sqrt(r2 / b2_);
  if (problem_.has_reference()) m.error = error(x);
  report.measured_row_products += problem_.rows();
  report.history.push_back(m);
  rules_.measured_x(x);
  rules_.measured(m);
}

double ImageRun::error(ConstView x) const {
  const ConstView ref = problem_.reference();
  double difference = 0.0, size = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    difference += std::pow(x.data[i] - ref.data[i], 2);
    size += ref.data[i] * ref.data[i];
  }
  return std::sqrt(difference / size);
}

std::string ImageRun::limit() const {
  const Index k = out_.report.iterations;
  if (o_.max_iterations && k >= *o_.max_iterations)
    return fmt::format("iteration limit of {} reached", *o_.max_iterations);
  if (o_.max_passes && static_cast<double>(k) >= *o_.max_passes)
    return fmt::format("limit of {:g} passes reached", *o_.max_passes);
  const Seconds& s = out_.report.seconds;
  const double spent = o_.time_spent_s + s.solve + s.measure - earlier_seconds_;
  if (o_.time_limit_s && spent >= *o_.time_limit_s)
    return fmt::format("time limit of {:g} s reached", *o_.time_limit_s);
  return {};
}

bool ImageRun::must_end(const Vectors& vectors) {
  if (rules_.snapshot_wanted(false)) save(vectors);
  limit_reason_ = limit();
  if (limit_reason_.empty() && !rules_.stop_requested()) return false;
  if (rules_.snapshot_wanted(true)) save(vectors);
  return true;
}

void ImageRun::save(const Vectors& vectors) {
  const Report& report = out_.report;
  Snapshot out;
  out.run.method = {report.iterations, report.row_products, vectors()};
  out.run.best = out.run.method.vectors.front();
  out.run.history = report.history;
  out.run.distances.assign(report.history.size(), 0.0);
  out.run.measured_rows = report.measured_row_products;
  out.run.solve_seconds = report.seconds.solve;
  out.run.measure_seconds = report.seconds.measure;
  rules_.snapshot(std::move(out));
}

void ImageRun::resume(const RunState& from) {
  Report& report = out_.report;
  report.iterations = from.method.iteration;
  report.row_products = from.method.row_products;
  report.history = from.history;
  report.measured_row_products = from.measured_rows;
  report.seconds.solve = from.solve_seconds;
  report.seconds.measure = from.measure_seconds;
  earlier_seconds_ = from.solve_seconds + from.measure_seconds;
  rules_.resume(from.history);
}

Reconstruction ImageRun::end_early(ConstView x) {
  if (limit_reason_.empty()) return end(x, Status::interrupted, "stopped on request");
  return end(x, Status::limit, limit_reason_);
}

Reconstruction ImageRun::end(ConstView x, Status status, const std::string& reason) {
  Report& report = out_.report;
  if (report.history.empty() || report.history.back().iteration != report.iterations) measure(x);
  const Measurement& m = report.history.back();
  report.status = status;
  report.reason = reason;
  report.passes = static_cast<double>(report.row_products) / static_cast<double>(report.rows);
  report.residual_norm = m.residual_norm;
  report.gradient_norm = m.gradient_norm;
  report.relative_residual = m.relative_residual;
  report.error = m.error;
  report.seconds.total = report.seconds.setup + report.seconds.solve + report.seconds.measure;
  out_.images.assign(x.data, x.data + x.size());
  return std::move(out_);
}

StopRules::StopRules(const ReconstructOptions& options, double weight_sum, Index rays,
                     Observer* next)
    : plateau_(options.plateau.value_or(0.0)), rays_(static_cast<double>(rays)), next_(next) {
  if (options.noise) target_ = options.tau * *options.noise * std::sqrt(weight_sum);
}

void StopRules::resume(const std::vector<Measurement>& history) {
  for (const Measurement& m : history) apply_rules(m);
}

void StopRules::measured(const Measurement& m) {
  if (next_) next_->measured(m);
  apply_rules(m);
}

void StopRules::measured_x(ConstView x) {
  if (next_) next_->measured_x(x);
}

void StopRules::apply_rules(const Measurement& m) {
  if (target_ >= 0.0 && m.residual_norm <= target_ && m.iteration > 0 && reason_.empty()) {
    reason_ = fmt::format("discrepancy principle: the residual {:.4g} is down to the noise, {:.4g}",
                          m.residual_norm, target_);
  }
  if (plateau_ > 0.0 && reason_.empty()) apply_plateau_rule(m);
  history_.push_back(m);
}

// Compares with the latest measurement that is at least one pass old, and that one with the
// latest at least two passes old, so that one oscillation of the momentum does not stop the run.
void StopRules::apply_plateau_rule(const Measurement& m) {
  const double now = static_cast<double>(m.row_products);
  const Measurement *one = nullptr, *two = nullptr;
  for (const Measurement& old : history_) {
    const double age = (now - static_cast<double>(old.row_products)) / rays_;
    if (age >= 1.0 - 1e-9) one = &old;
    if (age >= 2.0 - 1e-9) two = &old;
  }
  if (!one || !two || two->row_products == 0) return;
  const auto flat = [&](double before, double after, double passes) {
    return before - after < plateau_ * passes * before;
  };
  const double passes = (now - static_cast<double>(one->row_products)) / rays_;
  if (flat(one->residual_norm, m.residual_norm, passes) &&
      flat(two->residual_norm, one->residual_norm, 1.0)) {
    status_ = Status::stagnated;
    reason_ = fmt::format(
        "plateau: the residual {:.4g} decreases by less than a fraction of {:g} per pass; a slow "
        "method does so far from the solution too",
        m.residual_norm, plateau_);
  }
}

void StopRules::progress(Index iteration, Index row_products) {
  if (next_) next_->progress(iteration, row_products);
}

// A run that these rules stop is complete, so no snapshot is needed.
bool StopRules::snapshot_wanted(bool ending) {
  return next_ && reason_.empty() && next_->snapshot_wanted(ending);
}

void StopRules::snapshot(Snapshot&& snapshot) {
  if (next_) next_->snapshot(std::move(snapshot));
}

bool StopRules::stop_requested() { return !reason_.empty() || (next_ && next_->stop_requested()); }

}  // namespace polyak::tomography::internal
