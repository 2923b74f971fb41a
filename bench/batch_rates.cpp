// Rate against batch size, as a table for gnuplot: the paper's parameters and
// tuned ones as predicted, the certificate, and what runs measure.
//
//   bench_batch_rates [ROWS [RUNS]] > rates.dat
//
// Columns: batch, paper predicted, tuned predicted, tuned certified, tuned
// measured, paper measured; "nan" where there is none or the run diverges.
// Under the test suite it runs small (any argument that is not a number).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "polyak/generate.hpp"
#include "polyak/replicates.hpp"
#include "solve/plan/basis.hpp"
#include "solve/run/setup.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

// From the median error at half way and at the end of a run of about twelve
// e-folds at the predicted rate.
double measured(const Problem& problem, Index batch, const char* parameters, double predicted,
                Index runs) {
  if (predicted > 1.02) return std::nan("");
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = batch;
  options.parameters = parameters;
  const double folds = predicted < 1.0 ? 12.0 / -std::log(predicted) : 200.0;
  const Index steps = 2 * static_cast<Index>(std::clamp(folds, 60.0, 6000.0) / 2.0);
  if (batch > 4096) runs = std::min<Index>(runs, 3);
  const Replicates done = run_replicates(problem, options, runs, steps, steps / 2);
  const auto median = done.percentile(50);
  const double rate = std::pow(median[2] / median[1], 2.0 / static_cast<double>(steps));
  return rate < 1.0 ? rate : std::nan("");
}

void print(Index rows, Index runs) {
  SpectrumProblem shape;
  shape.rows = rows;
  shape.decay = Decay::algebraic;
  shape.rho = 1.0;
  shape.kappa = 100.0;
  const GeneratedProblem made = generate(shape, {.seed = 7, .noise = 0.0, .threads = 0});
  ProblemData parts;
  parts.A = made.A;
  parts.b = made.b;
  parts.reference = made.x_planted;
  const Problem problem(parts);
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = 1;
  SolveSetup setup(problem, options);
  ThreadTeam team(0);
  const Extremes found = exact_extremes(problem, setup.facts(), team, true);
  const Forecast forecast(problem, setup.facts(), found, *setup.plan().sampler,
                          setup.facts().frobenius2, Range{}, team, 0);
  const auto paper = theory::heavy_ball_parameters(found.lambda_min, found.lambda_max, 1e-3);
  std::printf("# algebraic rho 1, kappa 100, %lld x 100, seed 7, %lld runs\n",
              static_cast<long long>(rows), static_cast<long long>(runs));
  for (Index batch = 8; batch <= 2 * rows; batch *= 2) {
    const auto tuned = forecast.tuned(batch);
    const auto hb = theory::Method::heavy_ball;
    const bool run = batch <= rows / 2;
    std::printf(
        "%lld %.5f %.5f %.5f %.5f %.5f\n", static_cast<long long>(batch),
        forecast.rate(hb, paper, batch), forecast.rate(hb, tuned, batch),
        theory::rate_for_batch(forecast.worst_case(), hb, tuned, static_cast<double>(batch)),
        run ? measured(problem, batch, "tuned", forecast.rate(hb, tuned, batch), runs)
            : std::nan(""),
        run ? measured(problem, batch, "paper", forecast.rate(hb, paper, batch), runs)
            : std::nan(""));
  }
}

}  // namespace
}  // namespace polyak

int main(int argc, char** argv) {
  const bool asked = argc > 1 && std::atol(argv[1]) > 0;
  const bool brief = argc > 1 && !asked;
  polyak::print(asked   ? std::atol(argv[1])
                : brief ? 2000
                        : 200'000,
                argc > 2 ? std::atol(argv[2])
                : brief  ? 2
                         : 11);
  return 0;
}
