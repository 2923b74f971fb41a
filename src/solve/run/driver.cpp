#include "solve/run/driver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "polyak/ranks.hpp"

namespace polyak {
Driver::Driver(const Problem& problem, SolveOptions options)
    : options_(std::move(options)),
      setup_(problem, options_),
      monitor_(setup_.working(), setup_.backend(), options_.tol, options_.stop_rule),
      estimate_(estimate(setup_.problem())),
      schedule_(options_, problem.rows(), setup_.plan().rows_per_iteration,
                setup_.plan().expected_iterations, estimate_.has_value()),
      plateau_(patience(problem)),
      guard_(options_, setup_.plan()),
      used_(setup_.plan().used) {
  if (!setup_.trivial()) method_ = setup_.start(options_.stream);
}

std::optional<RowEstimate> Driver::estimate(const Problem& problem) {
  const Plan& plan = setup_.plan();
  if (!plan.sampler || setup_.trivial() || !RowEstimate::pays(problem)) return std::nullopt;
  return std::optional<RowEstimate>(std::in_place, problem, setup_.facts(), setup_.products(),
                                    monitor_, *plan.sampler, options_.seed, options_.stream);
}

// Iterations below which no plateau is called one. ‖r‖ and ‖Aᵀr‖ of a Krylov method may stand
// for long before they fall, though not much longer than there are steps to an exact answer.
double Driver::patience(const Problem& problem) const {
  constexpr double long_enough = 100.0;  // where the tolerance can see rounding sooner
  const double usual = 10.0 * setup_.plan().pace;
  if (!find_record(setup_.plan().method)->krylov) return usual;
  const double steps = 2.0 * static_cast<double>(std::min(problem.rows(), problem.cols()));
  return std::max(usual, options_.stop_rule ? steps : std::min(steps, long_enough));
}

void Driver::set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes) {
  options_.max_iterations = max_iterations;
  options_.max_passes = max_passes;
}

SolverState Driver::state() const { return method_ ? method_->save() : SolverState{}; }

void Driver::restore(const SolverState& state) {
  if (method_) method_->restore(state);
}

void Driver::start_gentler() {
  guard_.back_off();
  plateau_ = Plateau(patience(setup_.problem()));
  Parameters parameters = setup_.plan().parameters;
  parameters.stream = options_.stream;
  used_ = setup_.plan().used;
  guard_.apply(parameters, used_);
  method_ = setup_.start(parameters);
}

bool Driver::retreat() {
  if (run_.best.empty() || !guard_.can_back_off()) return false;
  SolverState state = method_->save();
  run_.retreats.push_back(state.iteration);
  for (auto& vector : state.vectors)
    if (vector.size() == run_.best.size()) vector = run_.best;
  start_gentler();
  method_->restore(state);
  run_.largest_x =
      std::max(setup_.backend().max_abs(method_->x()), expected_x(run_.first_residual));
  return true;
}

void Driver::resume(const RunState& run) {
  auto retreat = run.retreats.begin();
  auto look = run.looks.begin();
  for (std::size_t i = 0; i < run.history.size(); ++i) {
    for (; retreat != run.retreats.end() && *retreat < run.history[i].iteration; ++retreat)
      start_gentler();
    for (; look != run.looks.end() && look->iteration < run.history[i].iteration; ++look)
      schedule_.measured(look->iteration, look->distance);
    schedule_.measured(run.history[i].iteration, run.distances[i]);
    plateau_.measured(run.history[i].iteration, run.distances[i]);
  }
  for (; look != run.looks.end(); ++look) schedule_.measured(look->iteration, look->distance);
  for (; retreat != run.retreats.end(); ++retreat) start_gentler();
  run_ = run;
  restore(run_.method);
  earlier_seconds_ = run.solve_seconds + run.measure_seconds;
  resumed_ = true;
}

void Driver::save(Observer& observer) {
  Snapshot snapshot{.finished = {}, .run = run_};
  if (method_) snapshot.run.method = method_->save();
  observer.snapshot(std::move(snapshot));
}

Driver::Requests Driver::ask(Observer& observer, bool ending) const {
  // A run that ends is measured once more, and that is to be done in time.
  const bool late = options_.time_limit_s && elapsed() + measurement_s_ >= *options_.time_limit_s;
  const bool stop = observer.stop_requested();
  double said[] = {stop ? 1.0 : 0.0, late ? 1.0 : 0.0,
                   observer.snapshot_wanted(ending) ? 1.0 : 0.0};
  communicator(setup_.problem().A()).sum(said);
  return {said[0] > 0.0, said[1] > 0.0, said[2] > 0.0};
}

Index Driver::last_iteration() const {
  constexpr Index none = std::numeric_limits<Index>::max() / 4;
  Index last = options_.max_iterations.value_or(none);
  const double n = static_cast<double>(setup_.problem().rows());
  const double per = std::max(1.0, setup_.plan().rows_per_iteration);
  double rows = static_cast<double>(none);
  if (options_.max_passes)
    rows = *options_.max_passes * n;
  else if (!options_.max_iterations && !options_.time_limit_s)
    rows = std::max(1e4 * n, 1e7);
  return std::min(last, static_cast<Index>(std::min(rows / per, static_cast<double>(none))));
}

// The size an x has that explains a residual (in scaled units).
double Driver::expected_x(double residual) const {
  const MatrixFacts& facts = setup_.facts();
  return residual / std::sqrt(facts.frobenius2) * facts.scale.a / facts.scale.b;
}

// Where ranks exchange columns each sees some of x anew; what one of them sees is
// looked at by all.
bool Driver::runs_away() {
  const auto away = [&] {
    return !(setup_.backend().max_abs(method_->x()) <= runaway * run_.largest_x);
  };
  if (!method_->exchange()) return away();
  double seen = away() ? 1.0 : 0.0;
  communicator(setup_.problem().A()).sum({&seen, 1});
  if (seen == 0.0) return false;
  method_->whole_x();
  return away();
}

// In pieces, so that a signal, the clock and a runaway are seen in time: of some rows, and of
// less where that takes long. What a piece is never changes a bit.
void Driver::advance_to(Index target, Observer& observer) {
  constexpr double long_s = 0.2;
  const double rows = std::max(2048.0, static_cast<double>(setup_.problem().rows()) / 8.0);
  const Index most = std::max<Index>(
      1, static_cast<Index>(rows / std::max(1.0, setup_.plan().rows_per_iteration)));
  if (piece_ == 0) piece_ = most;
  for (Index k = method_->iteration(); k < target;) {
    const Index next = std::min(target, k + piece_);
    const double start = now_s();
    method_->advance(k, next);
    const double seconds = now_s() - start;
    run_.solve_seconds += seconds;
    if (seconds > long_s) piece_ = std::max<Index>(1, piece_ / 2);
    k = next;
    observer.progress(k, method_->row_products());
    const Requests requests = ask(observer);
    if (requests.stop || requests.late || method_->finished() || runs_away()) return;
    if (requests.snapshot && k < last_iteration()) save(observer);
  }
}

void Driver::measure(Observer& observer) {
  const double start = now_s();
  const Block& block = method_->whole_x();
  const std::vector<double> numbers = setup_.backend().host_copy(block);
  const ConstView x{numbers.data(), block.vectors(), block.length(), block.length()};
  const Index k = method_->iteration();
  last_ = monitor_.measure(block, x);
  run_.measured_rows += setup_.problem().rows();
  last_.line.iteration = k;
  last_.line.row_products = method_->row_products();
  last_.line.seconds = run_.solve_seconds;
  if (run_.history.empty()) run_.first_residual = last_.residual;
  if (last_.finite) {
    schedule_.measured(k, last_.distance);
    plateau_.measured(k, last_.distance);
    if (run_.best.empty() || last_.gradient < run_.best_gradient) {
      run_.best = numbers;
      run_.best_line = std::ssize(run_.history);
      run_.best_gradient = last_.gradient;
      run_.best_backward_error = last_.backward_error;
    }
    run_.largest_x =
        std::max({run_.largest_x, setup_.backend().max_abs(block), expected_x(last_.residual)});
    run_.history.push_back(last_.line);
    run_.distances.push_back(last_.distance);
    const std::vector<double> of_user = setup_.working().to_user(x);
    observer.measured_x({of_user.data(), x.rows, x.cols, x.cols});
    observer.measured(last_.line);
  }
  measurement_s_ = now_s() - start;
  run_.measure_seconds += measurement_s_;
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
      run_.next_measurement = schedule_.next(method_->iteration());
      if (const auto limit = judge_limits(observer)) {
        if (ask(observer, true).snapshot) save(observer);
        return *limit;
      }
    }
    for (;;) {
      advance_to(std::min(run_.next_measurement, last_iteration()), observer);
      if (const auto verdict = judge_limits(observer)) return end_early(*verdict, observer);
      if (!can_wait()) break;
      run_.next_measurement = schedule_.next(method_->iteration());
    }
    measure(observer);
  }
}

// A measurement that is due is left out where the method's own figures, or a few
// rows, say that the tolerance is not met; not for so long that a run that hangs
// goes unseen.
bool Driver::can_wait() {
  const bool asked = options_.measure_every || options_.measure_every_iterations;
  if (asked || !ends_by_itself() || method_->finished() || run_.history.empty()) return false;
  const Index k = method_->iteration(), last = run_.history.back().iteration;
  if (options_.most_expected && last < Schedule::first_promise) return false;
  if (surely_above()) return k < 4 * last + 16;
  return estimate_ && !runs_away() && looks_far();
}

bool Driver::surely_above() {
  const std::span<const double> gradient2 = method_->gradient2();
  if (gradient2.empty()) return false;
  const Block& x = method_->x();
  const std::vector<double> numbers = setup_.backend().host_copy(x);
  return monitor_.surely_above({numbers.data(), x.vectors(), x.length(), x.length()}, gradient2,
                               run_.first_residual);
}

// Where they cannot tell, all rows are asked: at once where ‖r‖ is small, seldom
// where noise has the last word, which few rows cannot see through.
bool Driver::looks_far() {
  constexpr double seldom = 0.5, late = 8.0;  // passes
  const double start = now_s();
  const Index k = method_->iteration();
  const Block& x = method_->whole_x();
  const std::vector<double> numbers = setup_.backend().host_copy(x);
  const Glimpse seen = estimate_->at(k, {numbers.data(), x.vectors(), x.length(), x.length()});
  run_.measured_rows += estimate_->rows();
  run_.measure_seconds += now_s() - start;
  const double passes = static_cast<double>(k - run_.history.back().iteration) *
                        setup_.plan().rows_per_iteration /
                        static_cast<double>(setup_.problem().rows());
  if (!seen.above) return !seen.near && passes < seldom;
  run_.looks.push_back({k, seen.distance});
  schedule_.measured(k, seen.distance);
  return passes < late;
}

Report Driver::run(Observer* observer) {
  Observer nobody;
  return report(method_ ? iterate(observer ? *observer : nobody) : trivial_answer());
}

}  // namespace polyak
