// A complete program: generates a problem, solves it by the paper's method and
// prints the result.

#include "polyak/solve.hpp"

#include <cstdio>

#include "polyak/generate.hpp"

int main() {
  polyak::SpectrumProblem shape;
  shape.rows = 20'000;
  shape.cols = 50;
  shape.kappa = 30.0;
  const polyak::GeneratedProblem made = polyak::generate(shape);

  polyak::ProblemData data;
  data.A = made.A;
  data.b = made.b;
  data.reference = made.x_planted;
  const polyak::Problem problem(data);

  polyak::SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = 2000;
  const polyak::Report report = polyak::solve(problem, options);

  std::printf("%s: %s\n", polyak::to_string(report.status).c_str(), report.reason.c_str());
  std::printf("%lld iterations, %.1f passes over A, error %.1e\n",
              static_cast<long long>(report.iterations), report.passes, *report.error);
  return report.status == polyak::Status::converged ? 0 : 1;
}
