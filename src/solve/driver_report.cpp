#include <fmt/format.h>

#include <cmath>

#include "polyak/simd.hpp"
#include "solve/driver.hpp"

namespace polyak {
namespace {

// From the error where a reference is known, from the gradient otherwise; over
// the iterations after a third of the way, past the transient.
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

void add_warnings(const Engine& engine, Report& report) {
  const MatrixFacts& facts = engine.facts();
  if (facts.zero_rows_with_rhs > 0) {
    report.warnings.push_back(
        fmt::format("{} zero rows have a right-hand side that is not zero: no x can meet them, "
                    "and the residual stays above their size",
                    facts.zero_rows_with_rhs));
  }
  if (!facts.zero_columns.empty() && !engine.trivial()) {
    report.warnings.push_back(
        fmt::format("{} columns of A are zero: those unknowns cannot be identified and {}",
                    facts.zero_columns.size(),
                    engine.problem().ridge() > 0 ? "are 0" : "keep their start value"));
  }
  const Used& used = report.used;
  if (used.rank && *used.rank < engine.problem().cols() && engine.problem().ridge() == 0.0) {
    report.warnings.push_back(fmt::format(
        "A has rank {} of {} columns to working precision: {}", *used.rank, engine.problem().cols(),
        engine.problem().has_bounds()
            ? "within the bounds other x may fit as well"
            : "the solution is not unique; from a zero start this is the one of least norm"));
  }
}

}  // namespace

void describe(const Problem& problem, Report& out) {
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind();
  out.simd = simd_target();
}

Report Driver::report(const Verdict& verdict) const {
  const Problem& problem = engine_.problem();
  const Plan& plan = engine_.plan();
  const double n = static_cast<double>(problem.rows());
  Report out;
  out.status = verdict.status;
  out.reason = verdict.reason;
  out.method = plan.method;
  out.asked = options_;
  out.used = used_;
  if (method_) out.used.condition = method_->condition();
  if (method_ && method_->rank()) out.used.rank = method_->rank();
  if (method_) out.used.exchange = method_->exchange_told();
  const SolverState state = method_ ? method_->state() : SolverState{};
  out.iterations = state.iteration;
  out.row_products = state.row_products;
  out.measured_row_products = run_.measured_rows;
  out.looks = run_.looks;
  const double rows_read = engine_.facts().rows_read + plan.rows_read +
                           static_cast<double>(out.row_products + run_.measured_rows);
  if (n > 0) {
    out.passes = static_cast<double>(out.row_products) / n;
    out.bytes_read = rows_read * (problem.A().bytes() / n);
  }
  // The line of the x that is returned.
  const Measurement* line = nullptr;
  const bool take_last = verdict.status == Status::converged;
  for (const Measurement& m : run_.history)
    if (!line || take_last || m.gradient_norm <= run_.best_gradient) line = &m;
  if (line) {
    out.residual_norm = line->residual_norm;
    out.gradient_norm = line->gradient_norm;
    out.relative_residual = line->relative_residual;
    out.relative_gradient = line->relative_gradient;
    out.error = line->error;
    out.backward_error = take_last ? last_.backward_error : run_.best_backward_error;
    out.certified = "full";
  }
  out.measured_rate = measured_rate(run_.history);
  const Index d = problem.cols(), c = problem.right_hand_sides();
  const double* x = method_ && take_last ? method_->x().data : run_.best.data();
  out.x = transposed({x, c, d, d});
  out.seconds = engine_.seconds();
  out.seconds.solve = run_.solve_seconds;
  out.seconds.measure = run_.measure_seconds;
  out.seconds.total = out.seconds.setup + run_.solve_seconds + run_.measure_seconds;
  describe(problem, out);
  out.zero_rows = engine_.facts().zero_rows;
  out.zero_columns = std::ssize(engine_.facts().zero_columns);
  out.seed = options_.seed;
  out.threads = engine_.threads();
  out.history = run_.history;
  add_warnings(engine_, out);
  if (!guard_.told().empty()) out.warnings.push_back(guard_.told());
  return out;
}

}  // namespace polyak
