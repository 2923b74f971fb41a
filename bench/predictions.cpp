// Does the run meet the prediction, at the paper's size?
//
//   bench_predictions [ROWS [RUNS]]
//
// 1. For each of the paper's twelve problems and the sampling problem: the row
//    products that the plan predicts to 1e-8 for the batch it would take, and
//    those that the run then needs.
// 2. On the algebraic problem (rho 1, kappa 100): the root mean square error of
//    RUNS runs beside the predicted curve, at two batches, and the paper's
//    parameters at the smaller one.
// Under the test suite it runs small (any argument that is not a number).

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "polyak/generate.hpp"
#include "polyak/plan.hpp"
#include "polyak/replicates.hpp"
#include "solve/plan/basis.hpp"
#include "solve/run/setup.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

ProblemData parts(const GeneratedProblem& made) {
  ProblemData out;
  out.A = made.A;
  out.b = made.b;
  out.reference = made.x_planted;
  return out;
}

GeneratedProblem spectrum(Index rows, Decay decay, double rho, double kappa) {
  SpectrumProblem shape;
  shape.rows = rows;
  shape.decay = decay;
  shape.rho = rho;
  shape.kappa = kappa;
  return generate(shape, {.seed = 7, .noise = 0.0, .threads = 0});
}

// What solve takes by itself: the first tuned minibatch row of the right batch.
const PlanRow* row_of(const PlanReport& plan, Index batch) {
  for (const PlanRow& row : plan.table)
    if (row.method == "minibatch-hbm" && row.batch == batch && row.note.empty()) return &row;
  return nullptr;
}

void compare(const std::string& name, const GeneratedProblem& made, const std::string& sampling) {
  SolveOptions options;
  options.sampling = sampling;
  const PlanReport plan = make_plan_report(made.A, made.b, options);
  options.method = "minibatch-hbm";
  const Report report = solve(Problem(parts(made)), options);
  const PlanRow* row = row_of(plan, *report.used.batch);
  if (!row || !row->row_products) return;
  std::printf("%-26s %9lld %12.4g %12lld %7.2f   %-9s %8.1e  plan %.2f s, recommends %s\n",
              name.c_str(), static_cast<long long>(*report.used.batch), *row->row_products,
              static_cast<long long>(report.row_products),
              static_cast<double>(report.row_products) / *row->row_products,
              to_string(report.status).c_str(), *report.error, plan.seconds,
              plan.table[plan.recommended].method.c_str());
}

void rows_needed(Index rows) {
  std::printf("%-26s %9s %12s %12s %7s   %-9s %8s\n", "problem", "batch", "predicted", "needed",
              "ratio", "status", "error");
  for (double kappa : {10.0, 30.0, 100.0}) {
    for (auto [decay, rho, label] : {std::tuple{Decay::exponential, 0.1, "exponential 0.1"},
                                     {Decay::exponential, 0.8, "exponential 0.8"},
                                     {Decay::algebraic, 2.0, "algebraic 2"},
                                     {Decay::algebraic, 1.0, "algebraic 1"}})
      compare(label + (", kappa " + std::to_string(static_cast<int>(kappa))),
              spectrum(rows, decay, rho, kappa), "row-norm");
  }
  SamplingProblem shape;
  shape.rows = rows;
  const GeneratedProblem made = generate(shape, {.seed = 7, .noise = 0.0, .threads = 0});
  compare("sampling, row-norm", made, "row-norm");
  compare("sampling, uniform", made, "uniform");
}

void curve(const Problem& problem, Index batch, Index runs, Index steps) {
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = batch;
  SolveSetup setup(problem, options);
  ThreadTeam team(0);
  const Extremes found = exact_extremes(problem, setup.facts(), team, true);
  const Forecast forecast(problem, setup.facts(), found, *setup.plan().sampler,
                          setup.facts().frobenius2, Range{}, team, 0);
  const auto p = theory::Parameters::of(*setup.plan().used.step_size, *setup.plan().used.momentum);
  const Index d = problem.cols();
  theory::Start start;
  for (Index j = 0; j < d; ++j) {
    double c = 0.0;
    for (Index k = 0; k < d; ++k)
      c -= found.vectors[to_size(j * d + k)] * problem.reference()(0, k);
    start.components.push_back(c);
  }
  const auto ms = theory::mean_square_trajectory(forecast.model(), theory::Method::heavy_ball, p,
                                                 static_cast<double>(batch), start, steps);
  const Replicates done = run_replicates(problem, options, runs, steps, steps / 10);
  std::printf("\nbatch %lld, tuned: rms of %lld runs beside the prediction\n",
              static_cast<long long>(batch), static_cast<long long>(runs));
  for (std::size_t m = 1; m < done.iterations.size(); ++m) {
    double sum = 0.0;
    for (const auto& errors : done.errors) sum += errors[m] * errors[m];
    const double rms = std::sqrt(sum / static_cast<double>(runs));
    const double predicted = std::sqrt(ms[to_size(done.iterations[m])] / ms[0]);
    std::printf("  k %4lld  measured %.3e  predicted %.3e  ratio %.3f\n",
                static_cast<long long>(done.iterations[m]), rms, predicted, rms / predicted);
  }
}

void curves(Index rows, Index runs) {
  const Problem problem(parts(spectrum(rows, Decay::algebraic, 1.0, 100.0)));
  curve(problem, 4735, runs, 100);
  curve(problem, 473, runs, 190);
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = 473;
  options.parameters = "paper";
  const Report report = solve(problem, options);
  std::printf("\nbatch 473, the paper's parameters: predicted rate %.3f, %s (%s)\n",
              report.used.predicted_rate.value_or(0.0), to_string(report.status).c_str(),
              report.reason.c_str());
}

}  // namespace
}  // namespace polyak

int main(int argc, char** argv) {
  const bool asked = argc > 1 && std::atol(argv[1]) > 0;
  const bool brief = argc > 1 && !asked;
  const polyak::Index rows = asked ? std::atol(argv[1]) : brief ? 20'000 : 1'000'000;
  const polyak::Index runs = argc > 2 ? std::atol(argv[2]) : brief ? 4 : 100;
  polyak::rows_needed(rows);
  polyak::curves(brief ? 20'000 : 200'000, runs);
  return 0;
}
