#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "bench/session.hpp"
#include "polyak/solve.hpp"
#include "polyak/theory.hpp"
#include "sampling/law.hpp"
#include "solve/run/setup.hpp"
#include "spectrum/facts.hpp"

// The problem of the goals, and the time to a given error of x, with and without set-up.

namespace polyak::bench::internal {
using namespace polyak::internal;

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

double relative_error(ConstView x, ConstView reference) {
  double away = 0.0, size = 0.0;
  for (Index j = 0; j < x.cols; ++j) {
    const double e = x(0, j) - reference(0, j);
    away += e * e;
    size += reference(0, j) * reference(0, j);
  }
  return std::sqrt(away / size);
}

// Seconds of iterations, with a new random stream, until the error is small; computing the
// error is not timed. Infinite if `max_iterations` are not enough.
double seconds_to(SolveSetup& setup, double error, std::uint64_t stream, Index stride,
                  Index max_iterations) {
  const auto method = setup.start(stream);
  double seconds = 0.0;
  for (Index k = 0; k < max_iterations; k += stride) {
    const double start = now_s();
    method->advance(k, k + stride);
    seconds += now_s() - start;
    const std::vector<double> x = setup.backend().host_copy(method->x());
    const Index d = setup.problem().cols();
    if (relative_error({x.data(), 1, d, d}, setup.problem().reference()) <= error) return seconds;
  }
  return std::numeric_limits<double>::infinity();
}

struct Configuration {
  std::string name, method;
  Index batch;   // 0: the method has none
  Index stride;  // iterations between checks of the error
  Index threads;
};

std::vector<Configuration> configurations(const Session& session) {
  const Index threads = session.options().threads;
  return {{"Minibatch-HBM, tuned, B = 128", "minibatch-hbm", 128, 4, threads},
          {"Minibatch-HBM, tuned, B = 512", "minibatch-hbm", 512, 2, threads},
          {"randomized Kaczmarz", "rk", 0, 256, 1}};
}

SolveOptions options_of(const Session& session, const Configuration& way) {
  SolveOptions out = paper_options(session, way.method, way.batch);
  out.threads = way.threads;
  return out;
}

void to_accuracy(Session& session, const Problem& problem, double error) {
  constexpr Index max_iterations = 2'000'000;
  Race race("iterations", fmt::format("to an error of {:.0e} in x, set-up excluded", error));
  std::uint64_t stream = 0;
  for (const Configuration& way : configurations(session)) {
    const auto setup = std::make_shared<SolveSetup>(problem, options_of(session, way));
    race.add({way.name, 0.0, [=, &stream](Index) {
                return seconds_to(*setup, error, ++stream, way.stride, max_iterations);
              }});
  }
  session.run(race, 0.1);
  for (const char* batch : {"128", "512"})
    race.faster(fmt::format("Minibatch-HBM, tuned, B = {}", batch), "randomized Kaczmarz",
                "Kaczmarz");
  session.keep(race);
}

// From an array in memory to x, with the ends of the spectrum and the batch given; and each
// phase alone: row norms, sampling table, iterations.
void end_to_end(Session& session, const Problem& problem, double error) {
  const Configuration way = configurations(session)[0];
  const SolveOptions options = options_of(session, way);
  Race race("iterations",
            fmt::format("set-up and Minibatch-HBM, B = {}, to {:.0e}", way.batch, error));
  std::uint64_t stream = 0;
  const auto once = [](auto call) {
    return [call](Index) mutable {
      const double start = now_s();
      call();
      return now_s() - start;
    };
  };
  race.add({"polyak", 0.0, [&](Index) {
              const double start = now_s();
              SolveSetup setup(problem, options);
              const double seconds = now_s() - start;
              return seconds + seconds_to(setup, error, ++stream, way.stride, 100'000);
            }});
  const auto facts = std::make_shared<MatrixFacts>(gather_facts(problem, session.team()));
  race.add({"… row norms", problem.A().bytes(),
            once([&] { *facts = gather_facts(problem, session.team()); })});
  race.add({"… sampling table", 0.0, once([&, facts] {
              const Sampler sampler(law_weights(Sampling::row_norm, facts->norms2, {}));
            })});
  const auto setup = std::make_shared<SolveSetup>(problem, options);
  race.add({"… iterations", 0.0, [&, setup](Index) {
              return seconds_to(*setup, error, ++stream, way.stride, 100'000);
            }});
  race.add({"polyak::solve, tol 1e-8", 0.0, once([&] {
              SolveOptions asked = options;
              asked.stream = ++stream;
              const Report report = solve(problem, asked);
            })});
  session.add_peer(race, "NumPy normal equations", "normal");
  session.run(race, 0.15);
  race.faster("polyak", "NumPy normal equations", "NumPy");
  race.faster("polyak::solve, tol 1e-8", "NumPy normal equations", "NumPy");
  for (const char* phase : {"… row norms", "… sampling table", "… iterations"})
    race.part(phase, "polyak", "of it");
  session.keep(race);
}

}  // namespace

Problem paper_problem(Session& session) {
  session.show_step("generating the problem");
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

void measure_solves(Session& session, const Problem& problem) {
  for (const double error : {1e-6, 1e-10}) to_accuracy(session, problem, error);
  end_to_end(session, problem, 1e-10);
}

}  // namespace polyak::bench::internal
