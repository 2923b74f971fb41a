#include "solve/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "solve/candidates.hpp"
#include "solve/driver.hpp"
#include "solve/limit_text.hpp"
#include "solve/pages.hpp"
#include "solve/part_watch.hpp"
#include "solve/row_subset.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t to_try = 0;   // draw of row_subset: that of the look, never both
constexpr double most_trusted = 1e6;  // condition up to which x is as good as its residual

class Automatic {
 public:
  Automatic(const Problem& problem, const SolveOptions& options, Observer* observer,
            const Snapshot* from)
      : problem_(problem), options_(options), runs_(observer, from) {
    check_values(options);
    // What auto may choose from heeds no more than QR does.
    check_options(for_method("direct"), "direct");
  }

  Report run() {
    if (problem_.rows() == 0 || problem_.cols() == 0) return only("direct");
    look_at_rows();
    if (consistent() && options_.certify == "sampled") return sampled_report();
    const ProblemShape shape = shape_of(problem_);
    try_part(part_to_try(shape, options_.tol));
    const auto list = choose(shape, options_.tol, trial_, steps_).candidates;
    can_factor_ =
        std::any_of(list.begin(), list.end(), [](const auto& c) { return c.method == "direct"; });
    for (const Candidate& candidate : list) {
      if (doubtful()) {  // QR then, and not from an x that looks like an answer
        if (can_factor_ && candidate.method != "direct") continue;
        start_ = {};
        found_by_.clear();
      }
      take(candidate);
      if (!settled() && candidate.extended) go_on(candidate);
      if (settled()) break;
    }
    return finish();
  }

 private:
  // Every row is checked by whoever is asked for; samples are auto's own affair.
  SolveOptions for_method(const std::string& method) const {
    SolveOptions options = options_;
    options.method = method;
    options.certify = "full";
    return options;
  }

  bool consistent() const { return trial_ && trial_->consistent(options_.tol); }

  Report run_method(const Problem& problem, const SolveOptions& options,
                    PartWatch* watch = nullptr) {
    if (const Report* known = runs_.known()) {
      Report report = *known;
      describe(problem, report);
      return report;
    }
    Driver driver(problem, options);
    if (const RunState* from = runs_.from()) driver.resume(*from);
    Report report = driver.run(watch ? static_cast<Observer*>(watch) : &runs_);
    if (watch) watch->explain(report);
    late_ = late_ || ended_by_clock(report, options);
    runs_.finished(report);
    return report;
  }

  // Some time may be left: less than another measurement takes.
  static bool ended_by_clock(const Report& report, const SolveOptions& options) {
    return report.status == Status::limit && options.time_limit_s &&
           report.reason == limit_text::seconds(*options.time_limit_s);
  }

  Report only(const std::string& method) {
    Report report = run_method(problem_, for_method(method));
    report.asked = options_;
    return report;
  }

  void look_at_rows() {
    const RowsToLookAt wanted = rows_to_look_at(shape_of(problem_), options_.tol);
    if (wanted.rows == 0) return;
    const double start = now_s();
    ThreadTeam team(static_cast<int>(options_.threads));
    threads_ = team.size();
    trial_ = try_subset(problem_, wanted.rows, options_, team, wanted.by_gram);
    const double seconds = now_s() - start;
    total_.seconds.setup += seconds;
    if (!trial_) return;
    total_.row_products += trial_->rows_solved;
    total_.measured_row_products += trial_->rows_checked;
    total_.bytes_read += static_cast<double>(trial_->rows_solved + trial_->rows_checked) *
                         problem_.A().bytes() / static_cast<double>(problem_.rows());
    total_.stages.push_back({wanted.name(),
                             fmt::format("{} random rows, solved; {} others check it",
                                         trial_->rows_solved, trial_->rows_checked),
                             wanted.seconds, seconds, trial_outcome()});
    if (!consistent()) return;
    start_ = trial_->x;
    found_by_ = wanted.name();
  }

  std::string trial_outcome() const {
    if (consistent()) return "all rows checked meet the tolerance: the data look consistent";
    if (trial_->unresolved)
      return "ill-conditioned: the normal equations of these rows do not tell x";
    if (!trial_->full_rank)
      return fmt::format("rank {} of {}: {}", trial_->rank, problem_.cols(),
                         trial_->dependent ? "columns depend on each other"
                                           : "these rows are too few to determine x");
    return fmt::format("inconsistent, |r| is {:.1e} of |b|; rank {}, condition about {:.1e}",
                       trial_->relative_residual, trial_->rank, trial_->condition);
  }

  // Some rows by cg: where data are consistent their x solves all, and whoever comes
  // next has but to check it; otherwise it is a start, and tells what cg would take.
  void try_part(const PartToTry& wanted) {
    if (wanted.rows == 0) return;
    const double start = now_s();
    const auto part =
        part_of(problem_, random_rows(problem_.rows(), wanted.rows, options_.seed, to_try));
    total_.seconds.setup += now_s() - start;
    if (!part) return;
    PartWatch watch(runs_, problem_.cols());
    std::optional<Report> tried;
    try {
      tried = run_method(*part, for_part(wanted), &watch);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_data) throw;
      return;  // whoever reads all of A will name the place
    }
    const bool cut_off = tried->status == Status::interrupted ||
                         (tried->status == Status::limit && tried->iterations < wanted.iterations);
    if (cut_off) runs_.stop_saving();
    steps_ = expected_steps(*tried, options_.tol);
    Stage stage{PartToTry::name,
                fmt::format("{} random rows, by cg", part->rows()),
                wanted.seconds,
                tried->seconds.total,
                {}};
    add(nothing_of_the_whole(std::move(*tried)));
    if (cut_off && total_.status == Status::limit) spend();
    stage.outcome = outcome(total_);
    total_.stages.push_back(std::move(stage));
    if (total_.status != Status::diverged) found_by_ = PartToTry::name;
  }

  SolveOptions for_part(const PartToTry& wanted) const {
    constexpr double surplus = 0.1, least = 1e-15;  // of the tolerance: others are to meet it too
    SolveOptions options = for_method("cg");
    options.tol = std::max(least, surplus * options_.tol);
    options.stop_rule.reset();  // its norms are those of all rows
    options.measure_every.reset();
    options.measure_every_iterations = 8;
    options.max_iterations =
        std::min(wanted.iterations, options_.max_iterations.value_or(wanted.iterations));
    if (options.max_passes)
      *options.max_passes *=
          static_cast<double>(problem_.rows()) / static_cast<double>(wanted.rows);
    if (options.time_limit_s)
      *options.time_limit_s = std::max(0.0, *options.time_limit_s - spent());
    return options;
  }

  // What was measured on some rows says nothing of all of them.
  static Report nothing_of_the_whole(Report report) {
    report.history.clear();
    report.looks.clear();
    report.backward_error.reset();
    return report;
  }

  // Never certified: most rows were not looked at.
  Report sampled_report() {
    Report out = total_;
    out.status = Status::converged;
    out.certified = "sampled";
    out.reason = fmt::format(
        "estimated: all {} rows checked meet |r_i| <= {:g}(sum_j |a_ij x_j| + |b_i|); with "
        "confidence "
        "1 - {:g} at most {:.2g} % of the rows do not",
        trial_->rows_checked, options_.tol, SubsetTrial::doubt, 100.0 * trial_->failing_share());
    out.method = found_by_;
    out.used.tol = options_.tol;
    out.used.rank = trial_->rank;
    out.pages_read = pages_of_rows(problem_.A(), trial_->rows_read);
    out.relative_residual = trial_->relative_residual;
    out.x = trial_->x;
    out.asked = options_;
    describe(problem_, out);
    out.passes = static_cast<double>(out.row_products) / static_cast<double>(out.rows);
    out.seed = options_.seed;
    out.threads = threads_;
    out.seconds.total = out.seconds.setup;
    return out;
  }

  void take(const Candidate& candidate) {
    const Problem from = start_.empty() ? problem_ : problem_.starting_at(start_);
    const SolveOptions options = limited(candidate);
    Report report = run_method(from, options);
    Stage stage{candidate.method, candidate.why, candidate.seconds, report.seconds.total, {}};
    const bool checked =
        report.iterations == 0 && !found_by_.empty() && report.status != Status::diverged;
    if (checked) {
      report.method = found_by_;
      stage.method = "check";
      stage.why = "every row, against the tolerance";
      stage.predicted_seconds = 2.0 * Costs(problem_).pass();
    } else {
      found_by_.clear();
    }
    add(std::move(report));
    if (total_.status == Status::limit && options_.max_passes &&
        *options.max_passes < candidate.passes.value_or(1e300))
      spend();
    stage.outcome = checked && total_.status == Status::converged ? total_.reason : outcome(total_);
    total_.stages.push_back(std::move(stage));
  }

  static std::string outcome(const Report& report) {
    std::string text = to_string(report.status) + ": " + report.reason;
    if (report.used.condition.value_or(1.0) > most_trusted)
      text += fmt::format("; the condition of A is {:.1e} or more", *report.used.condition);
    return text;
  }

  // A trial that promises to end soon may, by how its second half went: noise shows late.
  void go_on(Candidate candidate) {
    if (total_.status != Status::limit) return;
    const double fall = last_fall();
    const double wanted = std::log(*total_.backward_error / options_.tol) / fall;
    if (!(fall > 0.0) || wanted > *candidate.passes) return;
    candidate.passes = 1.5 * wanted + 1.0;
    candidate.why = "it promises to end soon";
    take(candidate);
  }

  // In e-folds a pass, from the first look in the second half to the end, or
  // between the last two measurements where few rows could not tell.
  double last_fall() const {
    const double n = static_cast<double>(problem_.rows());
    for (const Look& look : total_.looks) {
      if (2 * look.iteration < total_.iterations || look.iteration == total_.iterations) continue;
      return std::log(look.distance * options_.tol / *total_.backward_error) /
             (static_cast<double>(total_.iterations - look.iteration) / n);
    }
    if (history_.size() < 3) return 0.0;
    const Measurement &before = history_[history_.size() - 2], &last = history_.back();
    // ‖r‖ stands where there is noise, and ‖Aᵀr‖ need not fall all the time.
    const double fall = std::max(std::log(before.residual_norm / last.residual_norm),
                                 std::log(before.gradient_norm / last.gradient_norm));
    return fall / (static_cast<double>(last.row_products - before.row_products) / n);
  }

  // What is left of the user's limits, and the candidate's own.
  SolveOptions limited(const Candidate& candidate) const {
    SolveOptions options = for_method(candidate.method);
    options.only_resolved = can_factor_;  // QR will do what A'A cannot
    options.tol = candidate.tol.value_or(options_.tol);
    options.most_expected = candidate.most_expected;
    if (options.stop_rule) options.stop_rule->tighten(options.tol / options_.tol);
    if (options.max_iterations) *options.max_iterations -= total_.iterations;
    if (options.max_passes) *options.max_passes = std::max(0.0, *options.max_passes - passes());
    if (candidate.passes)
      options.max_passes = std::min(*candidate.passes, options.max_passes.value_or(1e300));
    if (options.time_limit_s)
      *options.time_limit_s = std::max(0.0, *options.time_limit_s - spent());
    return options;
  }

  double passes() const {
    return static_cast<double>(total_.row_products) / static_cast<double>(problem_.rows());
  }
  double all_seconds() const {
    return total_.seconds.setup + total_.seconds.solve + total_.seconds.measure;
  }
  // By this process, whose own the time limit is.
  double spent() const { return all_seconds() - runs_.earlier_seconds(); }

  void add(Report report) {
    for (Measurement m : report.history) {
      m.iteration += total_.iterations;
      m.row_products += total_.row_products;
      m.seconds += total_.seconds.solve;
      history_.push_back(m);
    }
    for (Look look : report.looks) {
      look.iteration += total_.iterations;
      total_.looks.push_back(look);
    }
    report.looks = std::move(total_.looks);
    report.iterations += total_.iterations;
    report.row_products += total_.row_products;
    report.measured_row_products += total_.measured_row_products;
    report.bytes_read += total_.bytes_read;
    report.seconds.setup += total_.seconds.setup;
    report.seconds.norms += total_.seconds.norms;
    report.seconds.table += total_.seconds.table;
    report.seconds.spectrum += total_.seconds.spectrum;
    report.seconds.solve += total_.seconds.solve;
    report.seconds.measure += total_.seconds.measure;
    report.stages = std::move(total_.stages);
    if (report.status != Status::diverged) start_ = report.x;
    total_ = std::move(report);
    see_the_clock();
    if (total_.status == Status::limit && out_of_budget()) total_.reason = users_limit();
  }

  bool met() const { return total_.backward_error && *total_.backward_error <= options_.tol; }
  // What the user allows is used up; the same on all ranks, whatever their clocks say.
  bool out_of_budget() const {
    return late_ || limit_met_ ||
           (options_.max_iterations && total_.iterations >= *options_.max_iterations) ||
           (options_.max_passes && passes() >= *options_.max_passes);
  }
  // Ended by a limit of the user's, though some part of a pass may be left.
  void spend() {
    limit_met_ = true;
    total_.reason = users_limit();
  }
  std::string users_limit() const {
    if (late_) return limit_text::seconds(*options_.time_limit_s);
    if (options_.max_iterations && total_.iterations >= *options_.max_iterations)
      return limit_text::iterations(*options_.max_iterations);
    return options_.max_passes ? limit_text::passes(*options_.max_passes) : total_.reason;
  }
  void see_the_clock() {
    if (!options_.time_limit_s) return;
    double late = options_.time_spent_s + spent() >= *options_.time_limit_s ? 1.0 : 0.0;
    communicator(problem_.A()).sum({&late, 1});
    late_ = late_ || late > 0.0;
  }
  // A small residual says little about x where A is ill-conditioned, and that
  // may show only now; QR has done what can be done.
  bool doubtful() const {
    const double trusted = total_.method == "normal" ? most_for_normal : most_trusted;
    return total_.used.condition.value_or(1.0) > trusted && total_.method != "direct" &&
           (!trial_ ||
            !(trial_->unresolved || (trial_->full_rank && trial_->condition >= most_trusted)));
  }
  bool settled() const {
    if (doubtful() && total_.status != Status::interrupted && !out_of_budget()) return false;
    return met() || total_.status == Status::converged || total_.status == Status::interrupted ||
           out_of_budget();
  }

  Report finish() {
    if (met() && total_.status != Status::interrupted && total_.status != Status::converged) {
      total_.status = Status::converged;
      total_.reason = fmt::format(
          "the backward error is {:.1e}, the tolerance {:g}; {} could not go on to {:.1e}",
          *total_.backward_error, options_.tol, total_.method, total_.used.tol);
    }
    total_.used.tol = options_.tol;
    total_.asked = options_;
    total_.history = std::move(history_);
    total_.passes = passes();
    total_.seconds.total = all_seconds();
    return std::move(total_);
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Runs runs_;
  std::optional<SubsetTrial> trial_;
  std::optional<double> steps_;  // of cg, by what it took on some rows
  std::string found_by_;         // what led to start_, where that was some rows only
  bool can_factor_ = false;      // direct is among the candidates
  bool late_ = false, limit_met_ = false;
  Array start_;  // d × c, the best x so far
  int threads_ = 1;
  Report total_;
  std::vector<Measurement> history_;
};

}  // namespace

Report automatic_solve(const Problem& problem, const SolveOptions& options, Observer* observer,
                       const Snapshot* from) {
  return Automatic(problem, options, observer, from).run();
}

}  // namespace polyak
