#include "bench/solve_contest.hpp"

// Whole solves, from the paper's problems to those that break normal equations.

namespace polyak::bench {

std::vector<SolveCase> cases_of(Session& session) {
  const Options& options = session.options();
  std::vector<SolveCase> out = solve_cases(options);
  if (options.data)
    for (SolveCase& one : given_cases(*options.data, static_cast<int>(options.threads),
                                      [&](const std::string& text) { session.note(text); }))
      out.push_back(std::move(one));
  return options.cases ? chosen_cases(std::move(out), *options.cases) : out;
}

namespace {

Outcome measure(Session& session, const SolveCase& what) {
  session.tell("making " + what.name);
  const Problem problem = what.make();
  const Exchange exchange;
  const bool as_process = what.from_file && session.options().program;
  if (session.peer() != nullptr || as_process) exchange.put(problem);
  Outcome out = contest(session, what, problem, exchange);
  if (as_process) out.from_file = file_contest(session, what, problem, exchange);
  return out;
}

}  // namespace

void measure_solve(Session& session) {
  session.forget_dense();
  std::vector<Outcome> outcomes;
  for (const SolveCase& what : cases_of(session)) {
    outcomes.push_back(measure(session, what));
    session.solved.push_back(summary(outcomes.back()));
  }
  session.verdict = verdict(outcomes);
}

}  // namespace polyak::bench
