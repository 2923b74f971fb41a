#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/contests.hpp"
#include "bench/session.hpp"
#include "polyak/error.hpp"
#include "polyak/plan.hpp"
#include "problem/least_squares.hpp"
#include "problem/varied.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr double seconds_worth_timing = 0.01;
constexpr double max_svd_work = 2e10;        // limit of n·d² for the singular values of A
constexpr double resolved_condition = 1e12;  // smaller singular values are rounding errors

class Promises {
 public:
  Promises(std::uint64_t seed, const std::string& text, const GeneratedProblem& made,
           const SolveOptions& options, double limit_s, ThreadTeam& team)
      : seed_(seed),
        text_(text),
        made_(made),
        options_(options),
        limit_s_(limit_s),
        team_(team),
        problem_(problem_of(made)),
        plan_(make_plan_report(made.A, made.b, options)) {}

  std::vector<Promise> check() {
    if (plan_.table.empty()) return {};
    check_spectrum();
    check_residual();
    for (std::size_t i = 0; i < plan_.table.size(); ++i) check_row(i);
    check_automatic();
    return std::move(out_);
  }

 private:
  static Problem problem_of(const GeneratedProblem& made) {
    ProblemData parts;
    parts.A = made.A;
    parts.b = made.b;
    return Problem(std::move(parts));
  }

  Promise& add(const std::string& what, const std::string& kind, double promised, double measured) {
    Promise one{seed_, text_, what, kind, promised, measured};
    one.allowed = allowed_factor(kind);
    one.upper = kind.starts_with("bound") || kind.starts_with("proved");
    out_.push_back(std::move(one));
    return out_.back();
  }

  const RefinedSolution& best() {
    if (!best_) best_ = refined_least_squares(*made_.A, made_.b.view(), team_);
    return *best_;
  }

  // kappa and rank against the singular values of R, whose condition is that of A, not A'A.
  void check_spectrum() {
    const auto n = static_cast<double>(plan_.rows), d = static_cast<double>(plan_.cols);
    if (n * d * d > max_svd_work) return;
    // The plan is about the columns as solve scales them.
    const WorkingProblem working(problem_, options_, team_);
    LeastSquaresResult found =
        qr_least_squares(working.problem().A(), made_.b.view(), {}, {}, team_);
    if (!found.ok || found.rank == 0) return;
    if (best().unique)
      found.rank = plan_.cols;  // the rank of QR depends on the units of the columns
    const std::vector<double>& sigma = found.singular_values;
    const std::string kind = plan_.spectrum_source.starts_with("exact") ? "exact" : "estimate";
    const double condition = sigma.front() / sigma[to_size(found.rank - 1)];
    if (condition < resolved_condition)
      add("kappa of A'A", kind, plan_.kappa, condition * condition);
    if (kind == "exact")
      add("rank", kind, static_cast<double>(plan_.rank.value_or(0)),
          static_cast<double>(found.rank));
    const double least = std::pow(sigma[to_size(found.rank - 1)], 2), most = std::pow(sigma[0], 2);
    check_range("lambda_min range", plan_.lambda_min_range, least);
    check_range("lambda_max range", plan_.lambda_max_range, most);
    if (plan_.automatic && plan_.automatic->look && condition < resolved_condition &&
        std::isfinite(plan_.automatic->look->condition))
      add("condition after the look", "estimate", plan_.automatic->look->condition, condition);
  }

  // The factor by which the truth is outside the interval; 1 inside.
  void check_range(const char* what, const std::vector<double>& range, double truth) {
    if (range.size() == 2)
      add(what, "bound", 1.0, std::max({1.0, range[0] / truth, truth / range[1]}));
  }

  void check_residual() {
    if (!plan_.relative_residual) return;
    double b2 = 0.0;
    for (Index i = 0; i < plan_.rows; ++i) b2 += made_.b(i) * made_.b(i);
    const double measured = best().residual_norm / std::sqrt(b2);
    if (measured > 1e-12) add("relative residual", "exact", *plan_.relative_residual, measured);
  }

  // Runs the method with the parameters of the row, for at most ten times the predicted
  // iterations and within the time limit.
  void check_row(std::size_t i) {
    const PlanRow& row = plan_.table[i];
    if (!row.iterations || (row.seconds && *row.seconds > limit_s_)) return;
    if (row.kind.starts_with("guess")) return;  // a guess is no prediction
    SolveOptions options = options_;
    options.method = row.method;
    options.batch_size = row.batch;
    if (row.note.starts_with("the paper's")) options.parameters = "paper";
    options.time_limit_s = 2.0 * limit_s_;
    const bool iterates = row.method != "direct";
    if (iterates) options.max_iterations = static_cast<Index>(10.0 * *row.iterations) + 10;
    if (iterates)
      options.measure_every_iterations =
          std::max<Index>(1, static_cast<Index>(*row.iterations / 50.0));
    const Report report = solve(problem_, options);
    const bool done = report.status == Status::converged;
    std::string name = row.method;
    if (row.batch) name += fmt::format(", B = {}", *row.batch);
    if (iterates) {
      Promise& one = add(name + ": iterations", row.kind, *row.iterations,
                         static_cast<double>(std::max<Index>(1, report.iterations)));
      one.unfinished = !done;
      if (!done) one.outcome = report.reason;
      // Convergence is noticed at the next measurement only.
      one.allowed *= 1.0 + static_cast<double>(*options.measure_every_iterations) / *row.iterations;
    }
    if (done && row.seconds && *row.seconds > seconds_worth_timing)
      add(name + ": seconds", "timed", *row.seconds, report.seconds.solve);
    if (i == plan_.recommended)
      add("the recommended method converges: " + name, "proved", 1.0, done ? 1.0 : 1e6);
  }

  // The first method of auto after its look, and that auto converges.
  void check_automatic() {
    if (!plan_.automatic || plan_.automatic->steps.empty()) return;
    SolveOptions options = options_;
    options.method = "auto";
    options.time_limit_s = 10.0 * limit_s_;
    const Report report = solve(problem_, options);
    const auto& first = plan_.automatic->steps.front();
    std::vector<std::string> took;
    for (const Stage& stage : report.stages) took.push_back(stage.method);
    if (took.empty()) took.push_back(report.method);
    const bool as_told = std::find(took.begin(), took.end(), first.method) != took.end();
    add("auto takes " + first.method, "proved", 1.0, as_told ? 1.0 : 1e6);
    add("auto converges", "proved", 1.0, report.status == Status::converged ? 1.0 : 1e6);
  }

  const std::uint64_t seed_;
  const std::string text_;
  const GeneratedProblem& made_;
  const SolveOptions options_;
  const double limit_s_;
  ThreadTeam& team_;
  const Problem problem_;
  const PlanReport plan_;
  std::optional<RefinedSolution> best_;
  std::vector<Promise> out_;
};

void add_promises(Session& session, std::uint64_t seed, const std::string& text,
                  const GeneratedProblem& made) {
  constexpr double limit_s = 3.0;
  SolveOptions asked;
  asked.threads = session.options().threads;
  asked.seed = session.options().seed;
  for (Promise& one : promises_of(seed, text, made, asked, limit_s, session.team()))
    session.promises.push_back(std::move(one));
}

}  // namespace

double allowed_factor(const std::string& kind) {
  if (kind.starts_with("exact")) return 1.01;
  if (kind.starts_with("model")) return 2.0;
  if (kind.starts_with("estimate")) return 4.0;
  return kind.starts_with("timed") ? 3.0 : 1.0;
}

std::vector<Promise> promises_of(std::uint64_t seed, const std::string& text,
                                 const GeneratedProblem& problem, const SolveOptions& options,
                                 double limit_s, ThreadTeam& team) {
  return Promises(seed, text, problem, options, limit_s, team).check();
}

void measure_plan(Session& session) {
  const Options& options = session.options();
  if (options.cases || options.data) {
    for (const SolveCase& what : cases_of(session)) {
      session.show_step(what.name);
      const Problem problem = what.make();
      GeneratedProblem made;
      made.A = problem.matrix();
      made.b = problem.data().b;
      add_promises(session, options.seed, what.name, made);
    }
  } else {
    for (const std::uint64_t seed : seeds_of(options.seeds, options.parity)) {
      const std::string text = varied_problem(seed).text;
      session.show_step(fmt::format("seed {}: {}", seed, text));
      add_promises(session, seed, text, varied::system_of(seed, session.team()));
    }
  }
  for (Goal& goal : promise_verdict(session.promises)) session.verdict.push_back(std::move(goal));
}

}  // namespace polyak::bench::internal
