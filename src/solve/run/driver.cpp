#include "solve/run/driver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "polyak/ranks.hpp"

namespace polyak::internal {
Driver::Driver(const Problem& problem, SolveOptions options, FirstRead first_read,
               std::shared_ptr<RowSums> copied)
    : options_(std::move(options)),
      setup_(problem, options_, first_read, std::move(copied)),
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

// Iterations below which no plateau is reported. ‖r‖ and ‖Aᵀr‖ of a Krylov method may stay
// constant for long before they fall, but not for many more iterations than exact arithmetic
// takes to the solution.
double Driver::patience(const Problem& problem) const {
  constexpr double max_steps = 100.0;  // the default tolerance detects rounding sooner
  const double usual = 10.0 * setup_.plan().pace;
  if (!find_record(setup_.plan().method)->krylov) return usual;
  const double steps = 2.0 * static_cast<double>(std::min(problem.rows(), problem.cols()));
  return std::max(usual, options_.stop_rule ? steps : std::min(steps, max_steps));
}

void Driver::set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes) {
  options_.max_iterations = max_iterations;
  options_.max_passes = max_passes;
}

SolverState Driver::state() const { return method_ ? method_->save() : SolverState{}; }

void Driver::restore(const SolverState& state) {
  if (method_) method_->restore(state);
}

void Driver::start_with_smaller() {
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
  start_with_smaller();
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
      start_with_smaller();
    for (; look != run.looks.end() && look->iteration < run.history[i].iteration; ++look)
      schedule_.measured(look->iteration, look->distance);
    schedule_.measured(run.history[i].iteration, run.distances[i]);
    plateau_.measured(run.history[i].iteration, run.distances[i]);
  }
  for (; look != run.looks.end(); ++look) schedule_.measured(look->iteration, look->distance);
  for (; retreat != run.retreats.end(); ++retreat) start_with_smaller();
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

Driver::Requests Driver::requests(Observer& observer, bool ending, double piece_seconds) const {
  constexpr double long_s = 0.2, short_s = 0.05;
  // A run that ends is measured once more, which has to fit into the time limit.
  const bool late = options_.time_limit_s && elapsed() + measurement_s_ >= *options_.time_limit_s;
  const bool stop = observer.stop_requested();
  double wanted[] = {stop ? 1.0 : 0.0, late ? 1.0 : 0.0,
                     observer.snapshot_wanted(ending) ? 1.0 : 0.0,
                     piece_seconds > long_s ? 1.0 : 0.0, piece_seconds > short_s ? 1.0 : 0.0};
  communicator(setup_.problem().A()).sum(wanted);
  return {wanted[0] > 0.0, wanted[1] > 0.0, wanted[2] > 0.0, wanted[3] > 0.0, wanted[4] == 0.0};
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

// The size of an x with this residual (in scaled units) for x = 0.
double Driver::expected_x(double residual) const {
  const MatrixFacts& facts = setup_.facts();
  return residual / std::sqrt(facts.frobenius2) * facts.scale.a / facts.scale.b;
}

// Where ranks exchange columns, each has only some columns of x up to date; if one rank finds
// growth, all of them test the whole x.
bool Driver::x_diverges() {
  const auto away = [&] {
    return !(setup_.backend().max_abs(method_->x()) <= divergence_factor * run_.largest_x);
  };
  if (!method_->exchange()) return away();
  double found = away() ? 1.0 : 0.0;
  communicator(setup_.problem().A()).sum({&found, 1});
  if (found == 0.0) return false;
  method_->whole_x();
  return away();
}

// In pieces, so that a signal, the time limit and divergence are noticed in time: an eighth of A,
// and less where that takes long; of rows on a disk, one iteration at first. Growth of x is tested
// after each eighth only, so that the time that a piece takes changes no bit.
void Driver::advance_to(Index target, Observer& observer) {
  const double rows = std::max(2048.0, static_cast<double>(setup_.problem().rows()) / 8.0);
  const Index largest = std::max<Index>(
      1, static_cast<Index>(rows / std::max(1.0, setup_.plan().rows_per_iteration)));
  if (piece_ == 0) piece_ = setup_.backend().rows_ahead() > 0 ? 1 : largest;
  Index eighth = method_->iteration() + largest;  // the end of this one
  for (Index k = method_->iteration(); k < target;) {
    const Index next = std::min({target, eighth, k + piece_});
    const double start = now_s();
    method_->advance(k, next);
    const double seconds = now_s() - start;
    const bool whole = next == target || next == eighth;
    if (next == eighth) eighth += largest;
    run_.solve_seconds += seconds;
    k = next;
    observer.progress(k, method_->row_products());
    // Clocks of ranks differ, but all ranks must take pieces of the same length: their
    // allreduce calls would not match otherwise.
    const Requests asked = requests(observer, false, seconds);
    if (asked.slow) piece_ = std::max<Index>(1, piece_ / 2);
    if (asked.quick) piece_ = std::min(largest, 2 * piece_);
    if (asked.stop || asked.late || method_->finished() || (whole && x_diverges())) return;
    if (asked.snapshot && k < last_iteration()) save(observer);
  }
}

void Driver::measure(Observer& observer) {
  const double start = now_s();
  const Block& block = method_->whole_x();
  const std::vector<double> numbers = setup_.backend().host_copy(block);
  const ConstView x{numbers.data(), block.vectors(), block.length(), block.length()};
  const Index k = method_->iteration();
  const NormalModel* const model = method_->model();
  std::optional<Measured> found = model ? monitor_.measure_by(*model, x) : std::nullopt;
  if (!found) {
    found = monitor_.measure(block, x);
    run_.measured_rows += setup_.problem().rows();
    method_->measured(x, monitor_.gradient(), monitor_.residual2());
  }
  last_ = *found;
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
      best_rounding_ = last_.rounding;
      best_is_here_ = true;
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

// Saved before the last measurement, which a run that continues would not make here.
Driver::Verdict Driver::end_early(const Verdict& verdict, Observer& observer) {
  if (requests(observer, true).snapshot) save(observer);
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
        if (requests(observer, true).snapshot) save(observer);
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

// A measurement that is due is left out where the norms that the method computes, or a test on a
// few rows, show that the tolerance is not met; but not for so long that a stagnating run is not
// noticed.
bool Driver::can_wait() {
  const bool fixed = options_.measure_every || options_.measure_every_iterations;
  if (fixed || !ends_by_itself() || method_->finished() || run_.history.empty()) return false;
  const Index k = method_->iteration(), last = run_.history.back().iteration;
  if (options_.max_expected_iterations && last < Schedule::first_extrapolation) return false;
  if (surely_above()) return k < 4 * last + 16;
  return estimate_ && !x_diverges() && rows_show_above();
}

bool Driver::surely_above() {
  const std::span<const double> gradient2 = method_->gradient2();
  if (gradient2.empty()) return false;
  const Block& x = method_->x();
  const std::vector<double> numbers = setup_.backend().host_copy(x);
  return monitor_.surely_above({numbers.data(), x.vectors(), x.length(), x.length()}, gradient2,
                               run_.first_residual);
}

// Where a few rows do not show it, all rows are measured: at once where ‖r‖ may meet the
// tolerance; rarely where only ‖g‖ may, because few rows do not show ‖g‖ below the noise.
bool Driver::rows_show_above() {
  constexpr double max_unclear = 0.5, max_above = 8.0;  // passes between two measurements
  const double start = now_s();
  const Index k = method_->iteration();
  const Block& x = method_->whole_x();
  const std::vector<double> numbers = setup_.backend().host_copy(x);
  const RowTest test = estimate_->at(k, {numbers.data(), x.vectors(), x.length(), x.length()});
  run_.measured_rows += estimate_->rows();
  run_.measure_seconds += now_s() - start;
  const double passes = static_cast<double>(k - run_.history.back().iteration) *
                        setup_.plan().rows_per_iteration /
                        static_cast<double>(setup_.problem().rows());
  if (!test.above) return !test.near && passes < max_unclear;
  run_.looks.push_back({k, test.distance});
  schedule_.measured(k, test.distance);
  return passes < max_above;
}

Report Driver::run(Observer* observer) {
  Observer none;
  return report(method_ ? iterate(observer ? *observer : none) : trivial_answer());
}

}  // namespace polyak::internal
