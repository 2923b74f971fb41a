#include "bench/paper_problem.hpp"

#include <cmath>
#include <numeric>

#include "polyak/theory.hpp"

namespace polyak::bench {
namespace {

constexpr double kappa = 100.0;

SpectrumProblem shape(Index rows, Index cols) {
  SpectrumProblem out;
  out.rows = rows;
  out.cols = cols;
  out.decay = Decay::algebraic;
  out.rho = 1.0;
  out.kappa = kappa;
  return out;
}

}  // namespace

Problem paper_problem(Session& session) {
  session.tell("generating the problem");
  const Options& options = session.options();
  const GeneratedProblem made =
      generate(shape(options.rows, options.cols),
               {.seed = options.seed, .noise = 0.0, .threads = static_cast<int>(options.threads)});
  ProblemData parts;
  parts.A = made.A;
  parts.b = made.b;
  parts.reference = made.x_planted;
  return Problem(parts);
}

SolveOptions paper_options(const Session& session, const std::string& method, Index batch) {
  SolveOptions out;
  out.method = method;
  out.threads = session.options().threads;
  out.seed = session.options().seed;
  if (batch > 0) {
    out.batch_size = batch;
    out.lambda_min = 1.0;
    out.lambda_max = kappa;
  }
  return out;
}

Index paper_batch(const Problem& problem) {
  const auto values = squared_singular_values(shape(problem.rows(), problem.cols()));
  const double frobenius2 = std::accumulate(values.begin(), values.end(), 0.0);
  const theory::HeavyBallTheory theory =
      theory::heavy_ball_theory({1.0, kappa, frobenius2, problem.cols(), 1.0}, 1e-3);
  return static_cast<Index>(std::llround(theory.batch_heuristic.value_or(1.0)));
}

}  // namespace polyak::bench
