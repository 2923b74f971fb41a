#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bench/paper_problem.hpp"
#include "polyak/solve.hpp"
#include "sampling/law.hpp"
#include "solve/engine.hpp"
#include "spectrum/facts.hpp"

// Time to an accuracy in x, with and without set-up.

namespace polyak::bench {
namespace {

double relative_error(ConstView x, ConstView reference) {
  double away = 0.0, size = 0.0;
  for (Index j = 0; j < x.cols; ++j) {
    const double e = x(0, j) - reference(0, j);
    away += e * e;
    size += reference(0, j) * reference(0, j);
  }
  return std::sqrt(away / size);
}

// Iterations of a fresh stream until the error is small; looking at it is not
// timed. Gives up after `most` iterations, with an infinite time.
double seconds_to(Engine& engine, double error, std::uint64_t stream, Index stride, Index most) {
  const auto method = engine.start(stream);
  double seconds = 0.0;
  for (Index k = 0; k < most; k += stride) {
    const double start = now_s();
    method->advance(k, k + stride);
    seconds += now_s() - start;
    const std::vector<double> x = engine.backend().host_copy(method->x());
    const Index d = engine.problem().cols();
    if (relative_error({x.data(), 1, d, d}, engine.problem().reference()) <= error) return seconds;
  }
  return std::numeric_limits<double>::infinity();
}

struct Way {
  std::string name, method;
  Index batch;   // 0: the method has none
  Index stride;  // iterations between looks
  Index threads;
};

std::vector<Way> ways(const Session& session) {
  const Index threads = session.options().threads;
  return {{"Minibatch-HBM, tuned, B = 128", "minibatch-hbm", 128, 4, threads},
          {"Minibatch-HBM, tuned, B = 512", "minibatch-hbm", 512, 2, threads},
          {"randomized Kaczmarz", "rk", 0, 256, 1}};
}

SolveOptions options_of(const Session& session, const Way& way) {
  SolveOptions out = paper_options(session, way.method, way.batch);
  out.threads = way.threads;
  return out;
}

void to_accuracy(Session& session, const Problem& problem, double error) {
  constexpr Index most = 2'000'000;
  Race race("iterations", fmt::format("to an error of {:.0e} in x, set-up excluded", error));
  std::uint64_t stream = 0;
  for (const Way& way : ways(session)) {
    const auto engine = std::make_shared<Engine>(problem, options_of(session, way));
    race.add({way.name, 0.0, [=, &stream](Index) {
                return seconds_to(*engine, error, ++stream, way.stride, most);
              }});
  }
  session.run(race, 0.1);
  for (const char* batch : {"128", "512"})
    race.faster(fmt::format("Minibatch-HBM, tuned, B = {}", batch), "randomized Kaczmarz",
                "Kaczmarz");
  session.keep(race);
}

// From an array in memory to x, with the ends of the spectrum and the batch
// given: norms, sampling table, iterations; and the phases by themselves.
void end_to_end(Session& session, const Problem& problem, double error) {
  const Way way = ways(session)[0];
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
              Engine engine(problem, options);
              const double setup = now_s() - start;
              return setup + seconds_to(engine, error, ++stream, way.stride, 100'000);
            }});
  const auto facts = std::make_shared<MatrixFacts>(gather_facts(problem, session.team()));
  race.add({"… row norms", problem.A().bytes(),
            once([&] { *facts = gather_facts(problem, session.team()); })});
  race.add({"… sampling table", 0.0, once([&, facts] {
              const Sampler sampler(law_weights(Sampling::row_norm, facts->norms2, {}));
            })});
  const auto engine = std::make_shared<Engine>(problem, options);
  race.add({"… iterations", 0.0, [&, engine](Index) {
              return seconds_to(*engine, error, ++stream, way.stride, 100'000);
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

void measure_solves(Session& session, const Problem& problem) {
  for (const double error : {1e-6, 1e-10}) to_accuracy(session, problem, error);
  end_to_end(session, problem, 1e-10);
}

}  // namespace polyak::bench
