#include "solve/run/setup.hpp"

#include "method/record.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak::internal {
namespace {

// Each step of a single-row method depends on the last: ranks cannot share the steps.
void check_ranks(const Problem& problem, const std::string& method) {
  const Index ranks = partition(problem.A()).ranks();
  const MethodInfo* info = find_method(method);
  if (ranks == 1 || !info || !info->sampled || (info->traits & trait::batch)) return;
  throw Error(ErrorCode::usage,
              {.what = "the method " + method +
                       " goes row after row and cannot be shared out over several ranks",
               .where = option_name("method"),
               .found = std::to_string(ranks) + " ranks",
               .hint = "try minibatch-hbm"});
}

Plan plan_unless_trivial(const Problem& problem, const MatrixFacts& facts,
                         const SolveOptions& options, ThreadTeam& team) {
  check_ranks(problem, options.method);
  if (facts.frobenius2 > 0.0) return make_plan(problem, facts, options, team);
  Plan plan;
  plan.method = choose_method(problem, options.method);
  check_options(options, plan.method);
  plan.used.tol = options.tol;
  return plan;
}

BackendProblem backend_problem(const Problem& problem, Scale scale, ThreadTeam& team,
                               std::shared_ptr<RowSums> copied) {
  return {problem.A(),     problem.b(), problem.weights(), scale, problem.lower(),
          problem.upper(), team,        std::move(copied)};
}

std::unique_ptr<Backend> backend_of(WorkingProblem& working, const std::string& device,
                                    ThreadTeam& team, const std::shared_ptr<RowSums>& copied) {
  auto out =
      make_backend(device, backend_problem(working.problem(), working.facts().scale, team, copied));
  working.use(out->row_sums());
  return out;
}

bool is_small(const Problem& problem, const SolveOptions& options) {
  const MethodRecord* record = find_record(options.method);
  return record && record->turn == Turn::factorisation &&
         is_brief(static_cast<double>(problem.A().nonzeros()), problem.cols());
}

// Checks first, before anything is allocated.
int checked_threads(const Problem& problem, const SolveOptions& options) {
  check_values(options);
  device_named(options.device);
  if (options.threads == 0 && is_small(problem, options)) return 1;
  return static_cast<int>(options.threads);
}

WorkingProblem timed_working(const Problem& problem, const SolveOptions& options, ThreadTeam& team,
                             FirstRead first_read, RowSums* sums, double& seconds) {
  const double start = now_s();
  WorkingProblem out(problem, options, team, first_read, sums);
  seconds = now_s() - start;
  return out;
}

}  // namespace

SolveSetup::SolveSetup(const Problem& problem, const SolveOptions& options, FirstRead first_read,
                       std::shared_ptr<RowSums> copied)
    : team_(checked_threads(problem, options)),
      copied_(copied ? std::move(copied)
                     : copied_rows(options.device, backend_problem(problem, {}, team_, nullptr))),
      working_(timed_working(problem, options, team_, first_read, copied_.get(), seconds_.norms)),
      products_(working_.problem().A(), working_.problem().weights(), facts().scale, team_),
      backend_(backend_of(working_, options.device, team_, copied_)),
      plan_(plan_unless_trivial(working_.problem(), facts(), options, team_)) {
  seconds_.table = plan_.table_seconds;
  seconds_.spectrum = plan_.spectrum_seconds;
  seconds_.setup = now_s() - started_;
}

Index SolveSetup::side_by_side(Index runs) const {
  constexpr double max_draws = 1 << 23;  // 200 MB
  const MethodInfo* info = find_method(plan_.method);
  if (!plan_.sampler || !(info->traits & trait::batch)) return 1;
  const double batch = static_cast<double>(std::max<Index>(1, plan_.parameters.batch));
  const auto fit = static_cast<Index>(std::max(1.0, max_draws / batch));
  const Index rounds = (runs + fit - 1) / fit;  // of about the same size
  const Index each = (runs + rounds - 1) / rounds;
  return static_cast<double>(each) * batch > static_cast<double>(problem().rows()) ? each : 1;
}

std::unique_ptr<Method> SolveSetup::start(std::uint64_t stream, Index replicates) {
  Parameters parameters = plan_.parameters;
  parameters.stream = stream;
  parameters.replicates = replicates;
  return start(parameters);
}

std::unique_ptr<Method> SolveSetup::start(const Parameters& parameters) {
  return make_method(plan_.method, Setting{problem(), facts(), *backend_, team_,
                                           plan_.sampler.get(), parameters, working_.normal()});
}

}  // namespace polyak::internal
