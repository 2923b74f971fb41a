#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "polyak/simd.hpp"
#include "solve/report/column_report.hpp"
#include "solve/run/driver.hpp"

namespace polyak {
namespace {

// From the error where a reference is known, from the gradient otherwise; over the last two thirds
// of the iterations, after the transient.
std::optional<double> measured_rate(const std::vector<Measurement>& history) {
  if (history.size() < 2) return std::nullopt;
  const Measurement& end = history.back();
  const auto level = [](const Measurement& m) { return m.error ? *m.error : m.gradient_norm; };
  for (const Measurement& m : history) {
    if (3 * m.iteration < end.iteration && history.size() > 2) continue;
    if (m.iteration == end.iteration || !(level(m) > 0.0)) return std::nullopt;
    return std::pow(level(end) / level(m), 1.0 / static_cast<double>(end.iteration - m.iteration));
  }
  return std::nullopt;
}

void add_rank(const RankFound& found, const WorkingProblem& working, Report& out) {
  out.used.rank = found.rank;
  out.used.rank_threshold = found.threshold;
  for (const Dependence& one : found.dependent)
    out.dependent_columns.push_back(
        in_user_columns(one, working.map(), working.is_constant(one.column)));
  std::sort(out.dependent_columns.begin(), out.dependent_columns.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
}

// Of unknowns that do not change the fit.
std::string values_of(const std::vector<Index>& columns, const Problem& problem) {
  const Index by_ridge = std::count_if(columns.begin(), columns.end(),
                                       [&](Index j) { return problem.ridge(j) > 0.0; });
  const char* text = by_ridge == 0 ? "keep their start value"
                     : by_ridge == std::ssize(columns)
                         ? "are 0"
                         : "are 0 or, without a ridge, keep their start value";
  return std::string(text) + (problem.has_bounds() ? ", moved into the bounds" : "");
}

void warn_of_zero_columns(const SolveSetup& setup, Report& report) {
  const std::vector<Index>& columns = setup.facts().zero_columns;
  const Index constant = std::count_if(columns.begin(), columns.end(),
                                       [&](Index j) { return setup.working().is_constant(j); });
  const auto warn = [&](Index count, const char* what) {
    if (count == 0) return;
    report.warnings.push_back(
        fmt::format("{} columns of A are {}: those unknowns cannot be "
                    "identified and {}",
                    count, what, values_of(columns, setup.working().user())));
  };
  warn(std::ssize(columns) - constant, "zero");
  warn(constant, "constant, as the intercept is");
}

void add_warnings(const SolveSetup& setup, const Used& used, bool nearest, Report& report) {
  const MatrixFacts& facts = setup.facts();
  if (facts.zero_rows_with_rhs > 0) {
    report.warnings.push_back(
        fmt::format("{} zero rows have a right-hand side that is not zero: no x can meet them, "
                    "and the residual stays above their size",
                    facts.zero_rows_with_rhs));
  }
  if (!setup.trivial()) warn_of_zero_columns(setup, report);
  warn_of_rank(setup.problem(), used, nearest, report);
}

std::string verified_text(const std::optional<double>& rounding) {
  if (!rounding) return "measured on A";
  return fmt::format("from A'A, rounding adds at most {:.1e} to the backward error", *rounding);
}

}  // namespace

void warn_of_rank(const Problem& problem, const Used& used, bool nearest, Report& report) {
  warn_of_rank(Unknowns{.count = problem.cols(),
                        .intercept = problem.has_intercept(),
                        .ridge = problem.ridge() > 0.0,
                        .bounds = problem.has_bounds()},
               used, nearest, report);
}

void describe(const Problem& problem, Report& out) {
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind() + (disk_use(problem.A()) ? ", on disk" : "");
  out.simd = simd_target();
}

Report Driver::report(const Verdict& verdict) const {
  const Problem& problem = setup_.problem();
  const Plan& plan = setup_.plan();
  const double n = static_cast<double>(problem.rows());
  Report out;
  out.status = verdict.status;
  out.stopped_by = verdict.rule;
  out.reason = verdict.reason;
  out.method = plan.method;
  out.asked = options_;
  out.used = used_;
  if (method_) out.used.condition = method_->condition();
  if (method_ && method_->rank()) add_rank(*method_->rank(), setup_.working(), out);
  if (method_) out.used.exchange = method_->exchange_choice();
  out.used.device = setup_.backend().description();
  out.iterations = method_ ? method_->iteration() : 0;
  out.row_products = method_ ? method_->row_products() : 0;
  out.measured_row_products = run_.measured_rows;
  out.looks = run_.looks;
  double rows_read = setup_.facts().rows_read + plan.rows_read +
                     static_cast<double>(out.row_products + run_.measured_rows);
  // A'A came with the facts: its products are those of the method, but the read is the same.
  if (setup_.working().normal() && out.row_products > 0) rows_read -= n;
  if (n > 0) {
    out.passes = static_cast<double>(out.row_products) / n;
    out.bytes_read = rows_read * (problem.A().bytes() / n);
  }
  const bool take_last = verdict.status == Status::converged;
  if (!run_.history.empty()) {
    // The line of the x that is returned.
    const Measurement& line =
        take_last ? run_.history.back() : run_.history[to_size(run_.best_line)];
    out.residual_norm = line.residual_norm;
    out.gradient_norm = line.gradient_norm;
    out.relative_residual = line.relative_residual;
    out.relative_gradient = line.relative_gradient;
    out.error = line.error;
    out.backward_error = take_last ? last_.backward_error : run_.best_backward_error;
    out.certified = "full";
    if (take_last || best_is_here_)
      out.verified = verified_text(take_last ? last_.rounding : best_rounding_);
  }
  out.measured_rate = measured_rate(run_.history);
  const Index d = problem.cols(), c = problem.right_hand_sides();
  // Without a finite measurement there is no best x: the start.
  const ConstView start = problem.x0();
  std::vector<double> x(start.data, start.data + start.size());
  if (method_ && take_last)
    x = setup_.backend().host_copy(method_->x());
  else if (!run_.best.empty())
    x = run_.best;
  out.x = transposed({setup_.working().to_user({x.data(), c, d, d}).data(), c, d, d});
  if (const std::string scaling = setup_.working().description(); !scaling.empty())
    out.used.column_scaling = scaling;
  out.seconds = setup_.seconds();
  out.seconds.solve = run_.solve_seconds;
  out.seconds.measure = run_.measure_seconds;
  out.seconds.total = out.seconds.setup + run_.solve_seconds + run_.measure_seconds;
  describe(problem, out);
  out.zero_rows = setup_.facts().zero_rows;
  out.zero_columns = std::ssize(setup_.facts().zero_columns);
  out.seed = options_.seed;
  out.threads = setup_.threads();
  out.history = run_.history;
  add_warnings(setup_, out.used, !method_ || !method_->rank() || method_->rank()->nearest, out);
  if (!guard_.description().empty()) out.warnings.push_back(guard_.description());
  return out;
}

}  // namespace polyak
