#include "polyak/solve.hpp"

#include "solve/auto/stages.hpp"
#include "solve/report/statistics.hpp"
#include "solve/run/driver.hpp"

namespace polyak {
using namespace polyak::internal;

class Solver::Impl {
 public:
  Impl(std::shared_ptr<const Problem> problem, SolveOptions options)
      : problem_(std::move(problem)), driver(*problem_, std::move(options)) {}

  const Problem& problem() const { return *problem_; }

 private:
  std::shared_ptr<const Problem> problem_;

 public:
  Driver driver;
};

Solver::Solver(std::shared_ptr<const Problem> problem, SolveOptions options)
    : impl_(std::make_unique<Impl>(std::move(problem), std::move(options))) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;

Report Solver::run(Observer* observer) {
  return with_statistics(impl_->problem(), impl_->driver.run(observer));
}
void Solver::set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes) {
  impl_->driver.set_limits(max_iterations, max_passes);
}
SolverState Solver::state() const { return impl_->driver.state(); }
void Solver::restore(const SolverState& state) { impl_->driver.restore(state); }
void Solver::resume(const RunState& run) { impl_->driver.resume(run); }

Report solve(const Problem& problem, const SolveOptions& options, Observer* observer,
             const Snapshot* from) {
  const auto run = [&] {
    if (options.method == "auto") return automatic_solve(problem, options, observer, from);
    Driver driver(problem, options);
    if (from != nullptr) driver.resume(from->run);
    return driver.run(observer);
  };
  Report report = with_statistics(problem, run());
  report.disk = disk_use(problem.A());
  return report;
}

}  // namespace polyak
