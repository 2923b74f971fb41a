#include "solve/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/simd.hpp"

namespace polyak {
namespace {

constexpr double runaway = 1e6;  // growth of the residual that no convergent transient shows

double largest(ConstView x) {
  double m = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double a = std::abs(x.data[i]);
    if (!(a <= m)) m = a;
    if (std::isnan(m)) return std::numeric_limits<double>::infinity();
  }
  return m;
}

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

}  // namespace

void describe(const Problem& problem, Report& out) {
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind();
  out.simd = simd_target();
}

Driver::Driver(const Problem& problem, SolveOptions options)
    : options_(std::move(options)),
      engine_(problem, options_),
      monitor_(problem, engine_.facts(), engine_.products(), options_.tol),
      schedule_(options_, problem.rows(), engine_.plan().rows_per_iteration,
                engine_.plan().expected_iterations),
      plateau_(10.0 * engine_.plan().pace) {
  if (!engine_.trivial()) method_ = engine_.start(options_.stream);
}

void Driver::set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes) {
  options_.max_iterations = max_iterations;
  options_.max_passes = max_passes;
}

SolverState Driver::state() const { return method_ ? method_->state() : SolverState{}; }

void Driver::restore(const SolverState& state) {
  if (method_) method_->restore(state);
}

Index Driver::last_iteration() const {
  constexpr Index none = std::numeric_limits<Index>::max() / 4;
  Index last = options_.max_iterations.value_or(none);
  const double n = static_cast<double>(engine_.problem().rows());
  const double per = std::max(1.0, engine_.plan().rows_per_iteration);
  double rows = static_cast<double>(none);
  if (options_.max_passes) rows = *options_.max_passes * n;
  else if (!options_.max_iterations && !options_.time_limit_s) rows = std::max(1e4 * n, 1e7);
  return std::min(last, static_cast<Index>(std::min(rows / per, static_cast<double>(none))));
}

bool Driver::runs_away() const {
  const double now = largest(method_->x());
  return !(now <= runaway * largest_x_);
}

// In pieces, so that a signal, the clock and a runaway are seen in time.
void Driver::advance_to(Index target, Observer& observer) {
  const double rows = std::max(2048.0, static_cast<double>(engine_.problem().rows()) / 8.0);
  const Index piece = std::max<Index>(
      1, static_cast<Index>(rows / std::max(1.0, engine_.plan().rows_per_iteration)));
  for (Index k = method_->state().iteration; k < target;) {
    const Index next = std::min(target, k + piece);
    const double start = now_s();
    method_->advance(k, next);
    solve_seconds_ += now_s() - start;
    k = next;
    observer.progress(k, method_->state().row_products);
    if (observer.stop_requested() || method_->finished() || runs_away()) return;
    if (options_.time_limit_s && elapsed() >= *options_.time_limit_s) return;
  }
}

void Driver::measure(Observer& observer) {
  const double start = now_s();
  const SolverState& state = method_->state();
  last_ = monitor_.measure(method_->x());
  measured_rows_ += engine_.problem().rows();
  last_.line.iteration = state.iteration;
  last_.line.row_products = state.row_products;
  last_.line.seconds = solve_seconds_;
  if (history_.empty()) first_residual_ = last_.residual;
  schedule_.measured(state.iteration, last_.distance);
  if (last_.finite) {
    plateau_.measured(state.iteration, last_.distance);
    const ConstView x = method_->x();
    if (best_.empty() || last_.line.gradient_norm < best_gradient_) {
      best_.assign(x.data, x.data + x.size());
      best_gradient_ = last_.line.gradient_norm;
      best_backward_error_ = last_.backward_error;
    }
    const double unit = engine_.facts().scale.a / engine_.facts().scale.b;
    const double expected = last_.residual / std::sqrt(engine_.facts().frobenius2) * unit;
    largest_x_ = std::max({largest_x_, largest(x), expected});
    history_.push_back(last_.line);
    observer.measured(last_.line);
  }
  measure_seconds_ += now_s() - start;
}

std::optional<Driver::Verdict> Driver::judge_mathematics() const {
  const Used& used = engine_.plan().used;
  if (!last_.finite || last_.residual > runaway * std::max(first_residual_, 1e-300)) {
    const std::string grew =
        last_.finite ? fmt::format("the residual grew {:.0e}-fold",
                                   last_.residual / first_residual_)
                     : "the iterates overflowed";
    const std::string advice =
        used.batch && *used.batch > 1
            ? "the batch is too small for this step and momentum: try a larger --batch, or a "
              "smaller --step-size"
            : "the step is too large: try a smaller --step-size, or check --lambda-max";
    return Verdict{Status::diverged,
                   fmt::format("{} by iteration {}; {}", grew, method_->state().iteration, advice)};
  }
  if (last_.distance <= 1.0) {
    return Verdict{Status::converged,
                   last_.by_residual
                       ? fmt::format("|r| <= {:g}(|A||x|+|b|)", options_.tol)
                       : fmt::format("|A'r| <= {:g}|A||r|", options_.tol)};
  }
  if (method_->finished()) {
    return Verdict{Status::stagnated,
                   fmt::format("{} has nothing more to give: |A'r|/(|A||r|) is {:.1e}, the "
                               "tolerance {:g} is below what rounding allows here",
                               engine_.plan().method, last_.line.relative_gradient.value_or(0),
                               options_.tol)};
  }
  if (options_.tol > 0.0 && plateau_.reached()) return horizon();
  return std::nullopt;
}

Driver::Verdict Driver::horizon() const {
  const Used& used = engine_.plan().used;
  const double level = last_.line.relative_gradient.value_or(0.0);
  if (!find_method(engine_.plan().method)->sampled) {
    return {Status::stagnated,
            fmt::format("|A'r|/(|A||r|) stopped falling at {:.1e}: slow convergence or rounding; "
                        "try --method direct or lsqr",
                        level)};
  }
  return {Status::stagnated,
          fmt::format("convergence horizon: the data are inconsistent and |A'r|/(|A||r|) stopped "
                      "falling at {:.1e}, where the noise of batches of {} holds it; a larger "
                      "--batch lowers it as 1/sqrt(batch), --method lsqr or direct passes it",
                      level, used.batch.value_or(1))};
}

std::optional<Driver::Verdict> Driver::judge_limits() const {
  if (options_.time_limit_s && elapsed() >= *options_.time_limit_s)
    return Verdict{Status::limit, fmt::format("time limit of {:g} s reached", *options_.time_limit_s)};
  const Index k = method_->state().iteration;
  if (k < last_iteration()) return std::nullopt;
  if (options_.max_iterations && k >= *options_.max_iterations)
    return Verdict{Status::limit, fmt::format("iteration limit of {} reached", *options_.max_iterations)};
  const double n = static_cast<double>(engine_.problem().rows());
  return Verdict{Status::limit,
                 fmt::format("limit of {:g} passes reached",
                             options_.max_passes.value_or(std::max(1e4, 1e7 / n)))};
}

std::optional<Driver::Verdict> Driver::judge(Observer& observer) {
  if (auto verdict = judge_mathematics()) return verdict;
  if (observer.stop_requested())
    return Verdict{Status::interrupted, "stopped on request; the best x so far is kept"};
  return judge_limits();
}

Driver::Verdict Driver::iterate(Observer& observer) {
  measure(observer);
  for (;;) {
    if (auto verdict = judge(observer)) return *verdict;
    const Index k = method_->state().iteration;
    advance_to(std::min(schedule_.next(k), last_iteration()), observer);
    measure(observer);
  }
}

// A is zero, or empty: every x fits alike, and a ridge term wants 0.
Driver::Verdict Driver::trivial_answer() {
  const Problem& problem = engine_.problem();
  const ConstView x0 = problem.x0();
  best_.assign(x0.data, x0.data + x0.size());
  if (problem.ridge() > 0.0) std::fill(best_.begin(), best_.end(), 0.0);
  for (std::size_t i = 0; problem.has_bounds() && i < best_.size(); ++i) {
    const std::size_t j = i % to_size(problem.cols());
    best_[i] = std::clamp(best_[i], problem.lower()[j], problem.upper()[j]);
  }
  return {Status::converged, problem.rows() == 0 || problem.cols() == 0
                                 ? "A is empty: there is nothing to solve"
                                 : "A is zero: every x is a solution"};
}

Report Driver::run(Observer* observer) {
  Observer nobody;
  return report(method_ ? iterate(observer ? *observer : nobody) : trivial_answer());
}

void Driver::add_warnings(Report& report) const {
  const MatrixFacts& facts = engine_.facts();
  if (facts.zero_rows_with_rhs > 0) {
    report.warnings.push_back(
        fmt::format("{} zero rows have a right-hand side that is not zero: no x can meet them, "
                    "and the residual stays above their size",
                    facts.zero_rows_with_rhs));
  }
  if (!facts.zero_columns.empty() && !engine_.trivial()) {
    report.warnings.push_back(
        fmt::format("{} columns of A are zero: those unknowns cannot be identified and {}",
                    facts.zero_columns.size(),
                    engine_.problem().ridge() > 0 ? "are 0" : "keep their start value"));
  }
  const Used& used = engine_.plan().used;
  if (used.rank && *used.rank < engine_.problem().cols() && engine_.problem().ridge() == 0.0) {
    report.warnings.push_back(fmt::format(
        "A has rank {} of {} columns to working precision: the solution is not unique; from a "
        "zero start this is the one of least norm",
        *used.rank, engine_.problem().cols()));
  }
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
  out.used = plan.used;
  if (method_) out.used.condition = method_->condition();
  const SolverState state = this->state();
  out.iterations = state.iteration;
  out.row_products = state.row_products;
  out.measured_row_products = measured_rows_;
  const double rows_read = engine_.facts().rows_read + plan.rows_read +
                           static_cast<double>(out.row_products + measured_rows_);
  if (n > 0) {
    out.passes = static_cast<double>(out.row_products) / n;
    out.bytes_read = rows_read * (problem.A().bytes() / n);
  }
  // The line of the x that is returned.
  const Measurement* line = nullptr;
  const bool take_last = verdict.status == Status::converged;
  for (const Measurement& m : history_)
    if (!line || take_last || m.gradient_norm <= best_gradient_) line = &m;
  if (line) {
    out.residual_norm = line->residual_norm;
    out.gradient_norm = line->gradient_norm;
    out.relative_residual = line->relative_residual;
    out.relative_gradient = line->relative_gradient;
    out.error = line->error;
    out.backward_error = take_last ? last_.backward_error : best_backward_error_;
    out.certified = "full";
  }
  out.measured_rate = measured_rate(history_);
  const Index d = problem.cols(), c = problem.right_hand_sides();
  const double* x = method_ && take_last ? method_->x().data : best_.data();
  out.x = transposed({x, c, d, d});
  out.seconds = engine_.seconds();
  out.seconds.solve = solve_seconds_;
  out.seconds.measure = measure_seconds_;
  out.seconds.total = out.seconds.setup + solve_seconds_ + measure_seconds_;
  describe(problem, out);
  out.zero_rows = engine_.facts().zero_rows;
  out.zero_columns = std::ssize(engine_.facts().zero_columns);
  out.seed = options_.seed;
  out.threads = engine_.threads();
  out.history = history_;
  add_warnings(out);
  return out;
}

}  // namespace polyak
