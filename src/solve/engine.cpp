#include "solve/engine.hpp"

#include <chrono>

namespace polyak {
namespace {

Plan plan_unless_trivial(const Problem& problem, const MatrixFacts& facts,
                         const SolveOptions& options, ThreadTeam& team) {
  if (facts.frobenius2 > 0.0) return make_plan(problem, facts, options, team);
  Plan plan;
  plan.method = choose_method(problem, options.method);
  check_options(options, plan.method);
  plan.used.tol = options.tol;
  return plan;
}

}  // namespace

double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Engine::Engine(const Problem& problem, const SolveOptions& options)
    : problem_(problem),
      team_(static_cast<int>(options.threads)),
      facts_(gather_facts(problem, team_)),
      products_(problem.A(), problem.weights(), facts_.scale, team_),
      plan_(plan_unless_trivial(problem, facts_, options, team_)) {
  setup_seconds_ = now_s() - started_;
}

std::unique_ptr<Method> Engine::start(std::uint64_t stream) {
  Parameters parameters = plan_.parameters;
  parameters.stream = stream;
  return make_method(plan_.method,
                     Setting{problem_, facts_, products_, plan_.sampler.get(), parameters});
}

}  // namespace polyak
