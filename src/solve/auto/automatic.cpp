#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "polyak/devices.hpp"
#include "polyak/error.hpp"
#include "solve/auto/row_subset.hpp"
#include "solve/auto/runs.hpp"
#include "solve/auto/stages.hpp"
#include "solve/auto/subset_stages.hpp"
#include "solve/run/driver.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t subset_cg_draw =
    0;  // of random_rows; it never runs together with subset-direct
constexpr double trusted_condition = 1e6;  // up to which a small residual implies a good x

double trusted_condition_of(const std::string& method) {
  const MethodRecord* record = find_record(method);
  return record ? record->trusted_condition : trusted_condition;
}

bool accepts_any_condition(const Candidate& candidate) {
  return std::isinf(trusted_condition_of(candidate.method));
}

std::string outcome(const Report& report) {
  std::string text = to_string(report.status) + ": " + report.reason;
  const double condition = report.used.condition.value_or(1.0);
  if (std::isfinite(condition) && condition > trusted_condition)
    text += fmt::format("; the condition of A is {:.1e} or more", condition);
  return text;
}

// Norms measured on a subset are not those of all rows.
Report without_measurements(Report report) {
  report.history.clear();
  report.looks.clear();
  report.backward_error.reset();
  return report;
}

class Automatic {
 public:
  Automatic(const Problem& problem, const SolveOptions& options, Observer* observer,
            const Snapshot* from)
      : problem_(problem),
        options_(options),
        runs_(observer, from),
        total_(problem, options, runs_) {
    check_values(options);
    // QR uses no more options than any candidate.
    const std::string& direct = direct_record().info.name;
    check_options(for_method(direct), direct);
    const ConstView x0 = problem.x0();
    start_may_solve_ = std::any_of(x0.data, x0.data + x0.size(), [](double v) { return v != 0.0; });
  }

  Report run() {
    if (problem_.rows() == 0 || problem_.cols() == 0) return only(direct_record());
    ProblemShape shape = shape_of(problem_);
    shape.disk = runs_.rates(shape.disk);
    const AutoPlan plan(shape, options_);
    if (plan.look()) solve_subset(*plan.look());
    if (consistent() && options_.certify == "sampled") return sampled_report();
    if (plan.subset_cg()) run_subset_cg(*plan.subset_cg());
    SubsetFindings found{.cg_iterations = cg_iterations_};
    if (trial_) found.facts = trial_->facts;
    run_methods(plan, plan.choice(found).candidates);
    return total_.finish();
  }

 private:
  Report& total() { return total_.report(); }
  const Report& total() const { return total_.report(); }

  void run_methods(const AutoPlan& plan, const std::vector<Candidate>& candidates) {
    can_factor_ = std::any_of(candidates.begin(), candidates.end(), accepts_any_condition);
    for (const Candidate& candidate : candidates) {
      if (doubtful()) {  // QR is next, and does not start from this x
        if (can_factor_ && !accepts_any_condition(candidate)) continue;
        start_ = {};
        found_by_.clear();
      }
      run_method(plan, candidate);
      if (!settled() && candidate.may_continue) continue_trial(plan, candidate);
      if (settled() || factored(candidate)) break;
    }
  }

  // Each method checks every row; `sampled` concerns subset-direct only.
  SolveOptions for_method(const std::string& method) const {
    SolveOptions options = options_;
    options.method = method;
    options.certify = "full";
    return options;
  }

  bool consistent() const { return trial_ && trial_->consistent(options_.tol); }

  Report drive(const Problem& problem, const SolveOptions& options, SubsetWatch* watch = nullptr,
               FirstRead first_read = FirstRead::cheapest) {
    if (const Report* known = runs_.known()) {
      Report report = *known;
      describe(problem, report);
      return report;
    }
    Driver driver(problem, options, first_read, copied_for(problem));
    if (const RunState* from = runs_.from()) driver.resume(*from);
    Report report = driver.run(watch ? static_cast<Observer*>(watch) : &runs_);
    if (watch) watch->explain(report);
    total_.check_time_limit(report, options);
    runs_.finished(report);
    return report;
  }

  // All methods on all rows share one copy of A on the device; null on the CPU.
  std::shared_ptr<RowSums> copied_for(const Problem& problem) {
    if (&problem.A() != &problem_.A()) return nullptr;
    if (copied_) return copied_;
    if (device_named(options_.device) == "cpu") return nullptr;
    const double start = now_s();
    ThreadTeam team(static_cast<int>(options_.threads));
    copied_ = copied_rows(
        options_.device,
        {problem.A(), problem.b(), problem.weights(), {}, problem.lower(), problem.upper(), team});
    total().seconds.setup += now_s() - start;
    return copied_;
  }

  Report only(const MethodRecord& record) {
    Report report = drive(problem_, for_method(record.info.name));
    report.asked = options_;
    return report;
  }

  void solve_subset(const AutoStage& stage) {
    const double start = now_s();
    const double entries = static_cast<double>(stage.rows) *
                           static_cast<double>(problem_.A().nonzeros()) /
                           static_cast<double>(std::max<Index>(1, problem_.rows()));
    const bool one = options_.threads == 0 && is_brief(entries, problem_.cols());
    ThreadTeam team(one ? 1 : static_cast<int>(options_.threads));
    threads_ = team.size();
    trial_ = try_subset(problem_, stage.rows, options_, team, stage.by_gram);
    const double seconds = now_s() - start;
    total().seconds.setup += seconds;
    if (!trial_) return;
    const Index solved = trial_->facts.rows_solved;
    total().row_products += solved;
    total().measured_row_products += trial_->rows_checked;
    total().bytes_read += static_cast<double>(solved + trial_->rows_checked) *
                          problem_.A().bytes() / static_cast<double>(problem_.rows());
    total().stages.push_back(
        {stage.run.method,
         fmt::format("{} random rows, solved; {} others check it", solved, trial_->rows_checked),
         stage.run.seconds, seconds, trial_outcome()});
    if (!consistent()) return;
    start_may_solve_ = true;
    start_ = trial_->x;
    found_by_ = stage.run.method;
  }

  std::string trial_outcome() const {
    const SubsetFacts& facts = trial_->facts;
    if (consistent()) return "all rows checked meet the tolerance: the data look consistent";
    if (facts.unresolved)
      return "ill-conditioned: the normal equations of these rows do not determine x";
    if (!facts.full_rank)
      return fmt::format(
          "rank {} of {} in these rows: {}", facts.rank, problem_.cols(),
          facts.dependent ? "columns depend on each other" : "they are too few to determine x");
    return fmt::format("inconsistent, |r| is {:.1e} of |b|; rank {}, condition about {:.1e}",
                       facts.relative_residual, facts.rank, facts.condition);
  }

  // Where the data are consistent the solution of the subset solves all rows, and the next
  // method only has to check it. Otherwise it is a start, and gives the rate of cg.
  void run_subset_cg(const AutoStage& stage) {
    const double start = now_s();
    const auto part =
        part_of(problem_, random_rows(problem_.rows(), stage.rows, options_.seed, subset_cg_draw));
    total().seconds.setup += now_s() - start;
    if (!part) return;
    SubsetWatch watch(runs_, problem_.cols());
    std::optional<Report> tried;
    try {
      tried = drive(*part, for_subset(stage), &watch);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_data) throw;
      return;  // the next method reads all of A and reports the row
    }
    const bool cut_off =
        tried->status == Status::interrupted ||
        (tried->status == Status::limit && tried->iterations < stage.max_iterations);
    if (cut_off) runs_.stop_saving();
    cg_iterations_ = expected_iterations(*tried, options_.tol);
    // Not an x that does not even solve these rows, nor one of columns that they do not contain.
    const bool may_solve = tried->status == Status::converged && tried->zero_columns == 0;
    Stage done{stage.run.method,
               fmt::format("{} random rows, by {}", part->rows(), one_read_cg_record().info.name),
               stage.run.seconds,
               tried->seconds.total,
               {}};
    add(without_measurements(std::move(*tried)));
    if (cut_off && total().status == Status::limit) total_.end_by_user_limit();
    done.outcome = outcome(total());
    total().stages.push_back(std::move(done));
    if (total().status != Status::diverged) found_by_ = stage.run.method;
    start_may_solve_ = may_solve;
  }

  // To a tenth of the tolerance: the rows left out are to meet it too.
  SolveOptions for_subset(const AutoStage& stage) const {
    constexpr double tol_factor = 0.1, min_tol = 1e-15;
    SolveOptions options = for_method(one_read_cg_record().info.name);
    options.tol = std::max(min_tol, tol_factor * options_.tol);
    options.stop_rule.reset();  // its norms are those of all rows
    options.measure_every.reset();
    options.measure_every_iterations = 8;
    options.max_iterations =
        std::min(stage.max_iterations, options_.max_iterations.value_or(stage.max_iterations));
    if (options.max_passes)
      *options.max_passes *= static_cast<double>(problem_.rows()) / static_cast<double>(stage.rows);
    if (options.time_limit_s)
      *options.time_limit_s = total_.remaining_seconds(*options.time_limit_s);
    return options;
  }

  // Never certified: most rows were not read.
  Report sampled_report() {
    Report out = total();
    out.status = Status::converged;
    out.stopped_by = StoppedBy::sampled_rows;
    out.certified = "sampled";
    out.reason = fmt::format(
        "estimated: all {} rows checked meet |r_i| <= {:g}(sum_j |a_ij x_j| + |b_i|); with "
        "confidence "
        "1 - {:g} at most {:.2g} % of the rows do not",
        trial_->rows_checked, options_.tol, SubsetTrial::doubt, 100.0 * trial_->failing_share());
    out.method = found_by_;
    out.used.tol = options_.tol;
    tell_facts_of_look(out);
    out.pages_read = pages_of_rows(problem_.A(), trial_->rows_read);
    out.relative_residual = trial_->residual_of_b;
    out.x = trial_->x;
    out.asked = options_;
    describe(problem_, out);
    out.passes = static_cast<double>(out.row_products) / static_cast<double>(out.rows);
    out.seed = options_.seed;
    out.threads = threads_;
    out.seconds.total = out.seconds.setup;
    return out;
  }

  // Where its start meets the tolerance, the run was only the check of a subset's solution.
  void run_method(const AutoPlan& plan, const Candidate& candidate) {
    const Problem from = start_.empty() ? problem_ : problem_.starting_at(start_);
    const SolveOptions options = limited(candidate);
    Report report = drive(from, options, nullptr,
                          start_may_solve_ ? FirstRead::cheapest : FirstRead::equations);
    Stage done{candidate.method, candidate.why, candidate.seconds, report.seconds.total, {}};
    const bool checked =
        report.iterations == 0 && !found_by_.empty() && report.status != Status::diverged;
    if (checked) {
      report.method = found_by_;
      if (trial_) tell_facts_of_look(report);
      done.method = "check";
      done.why = "every row, against the tolerance";
      done.predicted_seconds = 2.0 * plan.costs().pass();
    } else {
      found_by_.clear();
    }
    add(std::move(report));
    if (total().status == Status::limit && options_.max_passes &&
        *options.max_passes < candidate.passes.value_or(1e300))
      total_.end_by_user_limit();
    done.outcome =
        checked && total().status == Status::converged ? total().reason : outcome(total());
    total().stages.push_back(std::move(done));
  }

  // An x of a few rows is accurate where it fits all rows as well as these, up to rounding.
  double tol_of_look() const {
    const double rounding = static_cast<double>(problem_.cols()) * 0x1p-52;
    return std::max(candidate::tol_for_x(options_.tol, trial_->facts.condition), rounding);
  }

  void tell_facts_of_look(Report& report) const {
    report.used.rank = trial_->facts.rank;
    report.used.condition = trial_->facts.condition;
    warn_of_rank(problem_, report.used, true, report);
  }

  // A trial continues where it is extrapolated to converge soon, from its second half: noise has
  // an effect only late.
  void continue_trial(const AutoPlan& plan, Candidate candidate) {
    if (total().status != Status::limit) return;
    const double fall = e_folds_per_pass();
    const double needed = std::log(*total().backward_error / options_.tol) / fall;
    if (!(fall > 0.0) || needed > *candidate.passes) return;
    candidate.passes = 1.5 * needed + 1.0;
    candidate.why = "continued: extrapolated to converge soon";
    run_method(plan, candidate);
  }

  // From the first estimate by sampled rows in the second half to the end, or between the
  // last two measurements where there was no such estimate.
  double e_folds_per_pass() const {
    const double n = static_cast<double>(problem_.rows());
    for (const Look& look : total().looks) {
      if (2 * look.iteration < total().iterations || look.iteration == total().iterations) continue;
      return std::log(look.distance * options_.tol / *total().backward_error) /
             (static_cast<double>(total().iterations - look.iteration) / n);
    }
    const auto& history = total_.history();
    if (history.size() < 3) return 0.0;
    const Measurement &before = history[history.size() - 2], &last = history.back();
    // With noise ‖r‖ stays constant, and ‖Aᵀr‖ need not fall monotonically.
    const double fall = std::max(std::log(before.residual_norm / last.residual_norm),
                                 std::log(before.gradient_norm / last.gradient_norm));
    return fall / (static_cast<double>(last.row_products - before.row_products) / n);
  }

  // What remains of the user's limits, and the candidate's own.
  SolveOptions limited(const Candidate& candidate) const {
    SolveOptions options = total_.remaining(for_method(candidate.method));
    options.only_resolved = can_factor_;  // QR follows where AᵀA does not resolve A
    options.tol = candidate.tol.value_or(options_.tol);
    if (!found_by_.empty() && trial_) options.tol = std::min(options.tol, tol_of_look());
    options.max_expected_iterations = candidate.max_expected_iterations;
    if (options.stop_rule) options.stop_rule->tighten(options.tol / options_.tol);
    if (candidate.passes)
      options.max_passes = std::min(*candidate.passes, options.max_passes.value_or(1e300));
    return options;
  }

  void add(Report report) {
    if (report.status != Status::diverged) start_ = report.x;
    start_may_solve_ = false;
    total_.add(std::move(report));
  }

  // A small residual does not imply a good x where A is ill-conditioned, which may be known only
  // after a factorisation. A condition known before the choice was used in it already.
  bool doubtful() const {
    const bool known =
        trial_ && (trial_->facts.unresolved ||
                   (trial_->facts.full_rank && trial_->facts.condition >= trusted_condition));
    return total().used.condition.value_or(1.0) > trusted_condition_of(total().method) && !known;
  }

  // What A allows: an iterative method would only find an x that grows along the directions that
  // rounding leaves open, until it passes the test of the residual. The rank of a wide A, whose
  // columns are not scaled, depends on their units.
  bool factored(const Candidate& candidate) const {
    return accepts_any_condition(candidate) && problem_.rows() >= problem_.cols() &&
           total().stopped_by == StoppedBy::method_end;
  }

  bool settled() const {
    if (doubtful() && total().status != Status::interrupted && !total_.limit_reached())
      return false;
    return total_.tolerance_met() || total().status == Status::converged ||
           total().status == Status::interrupted || total_.limit_reached();
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Runs runs_;
  RunTotal total_;
  std::shared_ptr<RowSums> copied_;
  std::optional<SubsetTrial> trial_;
  std::optional<double> cg_iterations_;  // on all rows, extrapolated from subset-cg
  std::string found_by_;          // the stage on a subset that gave start_; empty after a method
  bool can_factor_ = false;       // a candidate takes any condition
  Array start_;                   // d × c, the best x so far
  bool start_may_solve_ = false;  // it solves the rows seen so far
  int threads_ = 1;
};

}  // namespace

Report automatic_solve(const Problem& problem, const SolveOptions& options, Observer* observer,
                       const Snapshot* from) {
  return Automatic(problem, options, observer, from).run();
}

}  // namespace polyak
