#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/session.hpp"
#include "solve/engine.hpp"

// Data that slows down the unwary: numbers below the normal range, zeros, and
// one row more than a power of two. Whole iterations, beside the usual case.

namespace polyak::bench {
namespace {

SolveOptions heavy_ball(const Session& session, Index batch, double step) {
  SolveOptions out;
  out.method = "minibatch-hbm";
  out.batch_size = batch;
  out.step_size = step;
  out.momentum = 0.5;
  out.threads = session.options().threads;
  return out;
}

// A run that goes on and on.
class Running {
 public:
  Running(const Session& session, ConstView A, const std::vector<double>& b, double x0, Index batch,
          double size = 1.0)
      : problem_(parts(A, b, x0)),
        // Small enough to stay where it is: 1/|A|_F² or so, if that is a number.
        engine_(problem_,
                heavy_ball(session, batch,
                           std::min(1e300, 1.0 / static_cast<double>(A.size()) / size / size))),
        method_(engine_.start(0)) {}

  void advance() {
    method_->advance(k_, k_ + 1);
    ++k_;
  }

 private:
  static ProblemData parts(ConstView A, const std::vector<double>& b, double x0) {
    ProblemData out;
    out.A = dense_view(A);
    out.b = Array({b.data(), A.rows, 1, 1}, {});
    out.x0 = Array(std::vector<double>(to_size(A.cols), x0), A.cols);
    return out;
  }

  Problem problem_;
  Engine engine_;
  std::unique_ptr<Method> method_;
  Index k_ = 0;
};

}  // namespace

void measure_robustness(Session& session) {
  const Index d = session.options().cols;
  const auto power = static_cast<Index>(std::bit_ceil(to_size(session.options().rows)));
  const Index batch = std::min<Index>(10'000, power);
  session.tell("making matrices with denormal numbers");
  const std::vector<double> A = random_values((power + 1) * d, 11, session.team());
  const std::vector<double> b = random_values(power + 1, 12, session.team());
  std::vector<double> tiny = A, tiny_b = b;
  constexpr double least = 1e-310;
  for (double& v : tiny) v *= least;
  for (double& v : tiny_b) v *= least;
  const ConstView usual{A.data(), power, d, d}, more{A.data(), power + 1, d, d};
  Race race("kernels", fmt::format("robustness: one iteration, n = {}, B = {}", power, batch));
  const auto add = [&](const std::string& name, auto running) {
    race.add({name, 8.0 * static_cast<double>(batch * d),
              repeated([](Index) {}, [running](Index) { running->advance(); })});
  };
  add("usual", std::make_shared<Running>(session, usual, b, 0.5, batch));
  add("x0 = 0", std::make_shared<Running>(session, usual, b, 0.0, batch));
  add("x0 denormal", std::make_shared<Running>(session, usual, tiny_b, least, batch));
  add("A denormal", std::make_shared<Running>(session, ConstView{tiny.data(), power, d, d}, b, 0.5,
                                              batch, least));
  add("one row more", std::make_shared<Running>(session, more, b, 0.5, batch));
  session.run(race, 0.06);
  for (const char* name : {"x0 = 0", "x0 denormal", "A denormal", "one row more"})
    race.part(name, "usual", "of the usual time");
  session.keep(race);
}

void measure_kernels(Session& session) {
  measure_gradients(session);
  measure_whole_matrix(session);
  session.forget_dense();
  measure_sparse(session);
  measure_robustness(session);
}

}  // namespace polyak::bench
