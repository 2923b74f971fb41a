#include "polyak/solve.hpp"

#include "solve/automatic.hpp"
#include "solve/driver.hpp"

namespace polyak {

class Solver::Impl {
 public:
  Impl(std::shared_ptr<const Problem> problem, SolveOptions options)
      : problem_(std::move(problem)), driver(*problem_, std::move(options)) {}

 private:
  std::shared_ptr<const Problem> problem_;

 public:
  Driver driver;
};

Solver::Solver(std::shared_ptr<const Problem> problem, SolveOptions options)
    : impl_(std::make_unique<Impl>(std::move(problem), std::move(options))) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;

Report Solver::run(Observer* observer) { return impl_->driver.run(observer); }
void Solver::set_limits(std::optional<Index> max_iterations, std::optional<double> max_passes) {
  impl_->driver.set_limits(max_iterations, max_passes);
}
SolverState Solver::state() const { return impl_->driver.state(); }
void Solver::restore(const SolverState& state) { impl_->driver.restore(state); }

Report solve(const Problem& problem, const SolveOptions& options, Observer* observer) {
  if (options.method == "auto") return automatic_solve(problem, options, observer);
  return Driver(problem, options).run(observer);
}

}  // namespace polyak
