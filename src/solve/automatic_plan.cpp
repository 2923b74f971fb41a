#include "polyak/automatic_plan.hpp"

#include <fmt/format.h>

#include "core/thread_team.hpp"
#include "polyak/memory.hpp"
#include "solve/candidates.hpp"

namespace polyak {
namespace {

// Consistent data are solved by it; what it tells of others may change the order.
AutomaticPlan::Step part_step(const ProblemShape& shape, const SolveOptions& options,
                              const PartToTry& part) {
  const ProblemShape rows = shape_of_rows(shape, part.rows);
  return {.method = PartToTry::name,
          .why = fmt::format("{} random rows first: consistent data need no more, others a start",
                             part.rows),
          .seconds = part.seconds,
          .passes = static_cast<double>(part.iterations) * static_cast<double>(part.rows) /
                    static_cast<double>(shape.rows),
          .memory_bytes = rows.bytes + working_bytes(rows, "cg", options)};
}

AutomaticPlan planned(const ProblemShape& shape, const SolveOptions& options,
                      const std::optional<SubsetTrial>& trial) {
  AutomaticPlan out;
  const RowsToLookAt wanted = rows_to_look_at(shape, options.tol);
  out.rows_to_look_at = wanted.rows;
  out.look_seconds = wanted.seconds;
  out.look_bytes = look_bytes(shape, options);
  const PartToTry part = part_to_try(shape, options.tol);
  std::optional<double> steps;
  if (part.rows > 0) {
    out.steps.push_back(part_step(shape, options, part));
    steps = part.expected;
  }
  Choice choice = choose(shape, options.tol, trial, steps);
  for (Candidate& c : choice.candidates) {
    SolveOptions its = options;
    its.tol = c.tol.value_or(options.tol);
    const double bytes = working_bytes(shape, c.method, its);
    if (c.tol == options.tol) c.tol.reset();
    out.steps.push_back({std::move(c.method), std::move(c.why), c.seconds, c.tol, c.passes, bytes});
  }
  for (RuledOut& r : choice.ruled_out)
    out.ruled_out.push_back({std::move(r.method), std::move(r.why)});
  return out;
}

// The answer is there already: what follows is the check of it.
AutomaticPlan::Step check_step(const ProblemShape& shape, const SolveOptions& options,
                               const char* name, double look_bytes) {
  const bool sampled = options.certify == "sampled";
  return {.method = name,
          .why = sampled ? "the rows looked at solve it, and others bear it out"
                         : "the rows looked at solve it; every row is checked",
          .seconds = sampled ? 0.0 : 2.0 * Costs(shape).pass(),
          .memory_bytes = look_bytes};
}

}  // namespace

AutomaticPlan automatic_plan(const ProblemShape& shape, const SolveOptions& options) {
  return planned(shape, options, {});
}

AutomaticPlan automatic_plan(const Problem& problem, const SolveOptions& options) {
  const ProblemShape shape = shape_of(problem);
  const RowsToLookAt wanted = rows_to_look_at(shape, options.tol);
  if (wanted.rows == 0) return planned(shape, options, {});
  ThreadTeam team(static_cast<int>(options.threads));
  const auto trial = try_subset(problem, wanted.rows, options, team, wanted.by_gram);
  AutomaticPlan out = planned(shape, options, trial);
  if (!trial) return out;
  const bool consistent = trial->consistent(options.tol);
  out.look = {.rows_solved = trial->rows_solved,
              .rows_checked = trial->rows_checked,
              .rank = trial->rank,
              .condition = trial->condition,
              .relative_residual = trial->relative_residual,
              .consistent = consistent};
  if (!trial->full_rank) out.look->relative_residual.reset();  // of an x that they do not determine
  if (consistent) out.steps.insert(out.steps.begin(), check_step(shape, options, wanted.name(), out.look_bytes));
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
