#include "polyak/automatic_plan.hpp"

#include "core/thread_team.hpp"
#include "solve/auto/stages.hpp"
#include "solve/auto/subset_stages.hpp"

namespace polyak {
namespace {

AutomaticPlan::Step shown(const AutoStage& stage, const SolveOptions& options) {
  const Candidate& run = stage.run;
  const bool same_tol = run.tol == options.tol;
  return {.method = run.method,
          .why = run.why,
          .seconds = run.seconds,
          .reads = run.reads,
          .tol = same_tol ? std::nullopt : run.tol,
          .passes = run.passes,
          .memory_bytes = stage.bytes};
}

// Where subset-cg is not run, its expected iterations stand in for what it would find.
AutomaticPlan shown(const AutoPlan& plan, const SolveOptions& options,
                    const std::optional<SubsetTrial>& trial) {
  AutomaticPlan out;
  if (plan.look()) {
    out.rows_to_look_at = plan.look()->rows;
    out.look_seconds = plan.look()->run.seconds;
    out.look_bytes = plan.look()->bytes;
  }
  SubsetFindings found;
  if (trial) found.facts = trial->facts;
  if (plan.subset_cg()) {
    found.cg_iterations = plan.subset_cg()->expected_iterations;
    out.steps.push_back(shown(*plan.subset_cg(), options));
  }
  Choice choice = plan.choice(found);
  for (const AutoStage& stage : plan.methods(choice.candidates))
    out.steps.push_back(shown(stage, options));
  for (RuledOut& one : choice.ruled_out)
    out.ruled_out.push_back({std::move(one.method), std::move(one.why)});
  return out;
}

// The subset has solved the problem: only the check of its solution is left.
AutomaticPlan::Step check_step(const AutoPlan& plan, const SolveOptions& options) {
  const bool sampled = options.certify == "sampled";
  return {.method = plan.look()->run.method,
          .why = sampled ? "the rows looked at solve it, and others confirm it"
                         : "the rows looked at solve it; every row is checked",
          .seconds = sampled ? 0.0 : 2.0 * plan.costs().pass(),
          .memory_bytes = plan.look()->bytes};
}

AutomaticPlan::Look look_of(const SubsetTrial& trial, double tol) {
  const SubsetFacts& facts = trial.facts;
  AutomaticPlan::Look out{.rows_solved = facts.rows_solved,
                          .rows_checked = trial.rows_checked,
                          .rank = facts.rank,
                          .condition = facts.condition,
                          .relative_residual = facts.relative_residual,
                          .consistent = trial.consistent(tol)};
  if (!facts.full_rank) out.relative_residual.reset();  // the subset does not determine x
  return out;
}

}  // namespace

AutomaticPlan automatic_plan(const ProblemShape& shape, const SolveOptions& options) {
  return shown(AutoPlan(shape, options), options, {});
}

AutomaticPlan automatic_plan(const Problem& problem, const SolveOptions& options) {
  const AutoPlan plan(shape_of(problem), options);
  if (!plan.look()) return shown(plan, options, {});
  ThreadTeam team(static_cast<int>(options.threads));
  const auto trial = try_subset(problem, plan.look()->rows, options, team, plan.look()->by_gram);
  AutomaticPlan out = shown(plan, options, trial);
  if (!trial) return out;
  out.look = look_of(*trial, options.tol);
  if (out.look->consistent) out.steps.insert(out.steps.begin(), check_step(plan, options));
  return out;
}

AutomaticPlan automatic_plan_without_b(const Problem& problem, const SolveOptions& options) {
  AutomaticPlan out = automatic_plan(problem, options);
  if (!out.look) return out;
  if (out.look->consistent) out.steps.erase(out.steps.begin());
  out.look->consistent = false;
  out.look->relative_residual.reset();
  return out;
}

}  // namespace polyak
