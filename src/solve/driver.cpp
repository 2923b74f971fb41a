#include "solve/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

Driver::Driver(const Problem& problem, SolveOptions options)
    : options_(std::move(options)),
      engine_(problem, options_),
      monitor_(problem, engine_.facts(), engine_.products(), options_.tol),
      schedule_(options_, problem.rows(), engine_.plan().rows_per_iteration,
                engine_.plan().expected_iterations),
      plateau_(10.0 * engine_.plan().pace),
      guard_(options_, engine_.plan()),
      used_(engine_.plan().used) {
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

void Driver::start_gentler() {
  guard_.back_off();
  plateau_ = Plateau(10.0 * engine_.plan().pace);
  Parameters parameters = engine_.plan().parameters;
  parameters.stream = options_.stream;
  used_ = engine_.plan().used;
  guard_.apply(parameters, used_);
  method_ = engine_.start(parameters);
}

bool Driver::retreat() {
  if (run_.best.empty() || !guard_.can_back_off()) return false;
  SolverState state = method_->state();
  run_.retreats.push_back(state.iteration);
  for (auto& vector : state.vectors)
    if (vector.size() == run_.best.size()) vector = run_.best;
  start_gentler();
  method_->restore(state);
  run_.largest_x = std::max(largest(method_->x()), expected_x(run_.first_residual));
  return true;
}

void Driver::resume(const RunState& run) {
  auto retreat = run.retreats.begin();
  for (std::size_t i = 0; i < run.history.size(); ++i) {
    for (; retreat != run.retreats.end() && *retreat < run.history[i].iteration; ++retreat)
      start_gentler();
    schedule_.measured(run.history[i].iteration, run.distances[i]);
    plateau_.measured(run.history[i].iteration, run.distances[i]);
  }
  for (; retreat != run.retreats.end(); ++retreat) start_gentler();
  run_ = run;
  restore(run_.method);
  earlier_seconds_ = run.solve_seconds + run.measure_seconds;
  resumed_ = true;
}

void Driver::save(Observer& observer) {
  Snapshot snapshot{.finished = {}, .run = run_};
  if (method_) snapshot.run.method = method_->whole_state();
  observer.snapshot(std::move(snapshot));
}

Driver::Wishes Driver::ask(Observer& observer, bool ending) const {
  const bool late = options_.time_limit_s && elapsed() >= *options_.time_limit_s;
  const bool stop = observer.stop_requested();
  double said[] = {stop ? 1.0 : 0.0, late ? 1.0 : 0.0,
                   observer.snapshot_wanted(ending) ? 1.0 : 0.0};
  engine_.problem().A().complete(said);
  return {said[0] > 0.0, said[1] > 0.0, said[2] > 0.0};
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

// The size an x has that explains a residual (in scaled units).
double Driver::expected_x(double residual) const {
  const MatrixFacts& facts = engine_.facts();
  return residual / std::sqrt(facts.frobenius2) * facts.scale.a / facts.scale.b;
}

bool Driver::runs_away() const {
  const double now = largest(method_->x());
  return !(now <= runaway * run_.largest_x);
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
    run_.solve_seconds += now_s() - start;
    k = next;
    observer.progress(k, method_->state().row_products);
    const Wishes wishes = ask(observer);
    if (wishes.stop || wishes.late || method_->finished() || runs_away()) return;
    if (wishes.snapshot && k < last_iteration()) save(observer);
  }
}

void Driver::measure(Observer& observer) {
  const double start = now_s();
  const SolverState& state = method_->state();
  last_ = monitor_.measure(method_->x());
  run_.measured_rows += engine_.problem().rows();
  last_.line.iteration = state.iteration;
  last_.line.row_products = state.row_products;
  last_.line.seconds = run_.solve_seconds;
  if (run_.history.empty()) run_.first_residual = last_.residual;
  if (last_.finite) {
    schedule_.measured(state.iteration, last_.distance);
    plateau_.measured(state.iteration, last_.distance);
    const ConstView x = method_->x();
    if (run_.best.empty() || last_.line.gradient_norm < run_.best_gradient) {
      run_.best.assign(x.data, x.data + x.size());
      run_.best_gradient = last_.line.gradient_norm;
      run_.best_backward_error = last_.backward_error;
    }
    run_.largest_x = std::max({run_.largest_x, largest(x), expected_x(last_.residual)});
    run_.history.push_back(last_.line);
    run_.distances.push_back(last_.distance);
    observer.measured(last_.line);
  }
  run_.measure_seconds += now_s() - start;
}

std::optional<Driver::Verdict> Driver::judge_mathematics() const {
  const Used& used = used_;
  if (!last_.finite || last_.residual > runaway * std::max(run_.first_residual, 1e-300)) {
    const std::string grew =
        last_.finite ? fmt::format("the residual grew {:.0e}-fold",
                                   last_.residual / run_.first_residual)
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
  const Used& used = used_;
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

std::optional<Driver::Verdict> Driver::judge_limits(Observer& observer) const {
  const Wishes wishes = ask(observer);
  if (wishes.stop) return Verdict{Status::interrupted, "stopped on request; the best x so far is kept"};
  if (wishes.late)
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

// Saved before the measurement of its end, which a run that goes on would not
// make here.
Driver::Verdict Driver::end_early(const Verdict& verdict, Observer& observer) {
  if (ask(observer, true).snapshot) save(observer);
  measure(observer);
  const auto better = judge_mathematics();
  return better ? *better : verdict;
}

Driver::Verdict Driver::iterate(Observer& observer) {
  bool judged = std::exchange(resumed_, false);
  if (!judged) measure(observer);
  for (;; judged = false) {
    if (!judged) {
      const auto verdict = judge_mathematics();
      if (verdict && (verdict->status != Status::diverged || !retreat())) return *verdict;
      run_.next_measurement = schedule_.next(method_->state().iteration);
      if (const auto limit = judge_limits(observer)) {
        if (ask(observer, true).snapshot) save(observer);
        return *limit;
      }
    }
    for (;;) {
      advance_to(std::min(run_.next_measurement, last_iteration()), observer);
      if (const auto verdict = judge_limits(observer)) return end_early(*verdict, observer);
      if (!can_wait()) break;
      run_.next_measurement = schedule_.next(method_->state().iteration);
    }
    measure(observer);
  }
}

// A measurement that is due is left out where the method's own figures say that the
// tolerance is not met; not for so long that a run that hangs goes unseen.
bool Driver::can_wait() const {
  const bool asked = options_.measure_every || options_.measure_every_iterations;
  if (asked || !(options_.tol > 0.0) || method_->finished() || run_.history.empty()) return false;
  const Index k = method_->state().iteration, last = run_.history.back().iteration;
  return k < 4 * last + 16 &&
         monitor_.surely_above(method_->x(), method_->gradient2(), run_.first_residual);
}

// A is zero, or empty: every x fits alike, and a ridge term wants 0.
Driver::Verdict Driver::trivial_answer() {
  const Problem& problem = engine_.problem();
  const ConstView x0 = problem.x0();
  run_.best.assign(x0.data, x0.data + x0.size());
  if (problem.ridge() > 0.0) std::fill(run_.best.begin(), run_.best.end(), 0.0);
  for (std::size_t i = 0; problem.has_bounds() && i < run_.best.size(); ++i) {
    const std::size_t j = i % to_size(problem.cols());
    run_.best[i] = std::clamp(run_.best[i], problem.lower()[j], problem.upper()[j]);
  }
  return {Status::converged, problem.rows() == 0 || problem.cols() == 0
                                 ? "A is empty: there is nothing to solve"
                                 : "A is zero: every x is a solution"};
}

Report Driver::run(Observer* observer) {
  Observer nobody;
  return report(method_ ? iterate(observer ? *observer : nobody) : trivial_answer());
}

}  // namespace polyak
