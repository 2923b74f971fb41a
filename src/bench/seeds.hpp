#pragma once

// The subjects auto and plan, on the varied problems of a range of seeds.

#include <string>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/bench.hpp"
#include "polyak/generate.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"
#include "problem/least_squares.hpp"

namespace polyak::bench {

/// From "0:9" or "7", and "all", "even" or "odd". Error usage for anything else, and if
/// no seed remains.
std::vector<std::uint64_t> seeds_of(const std::string& range, const std::string& parity);

// auto: auto against every method.

/// Decides whether x is as good as that of QR, in the same way for all methods.
///
/// The least squares solution x* is computed beyond double precision. With D the norms
/// of the columns, the error of x is ‖D(x − x*)‖/‖Dx*‖, which does not depend on the
/// units of the columns; x is good up to
///   max(1e-6, 10 times the error of QR's x in double precision).
/// 1e-6 is the error that a tolerance of 1e-8 gives on well-conditioned problems; on
/// others the condition limits what is possible.
///
/// If the solution is not unique to working precision, the error is that of the fit,
/// ‖A(x − x*)‖/‖Ax*‖, and x is good up to 1e-6 if its norm ‖x‖ or ‖Dx‖ is the least
/// possible within 1 %.
class QualityJudge {
 public:
  QualityJudge(const Problem& problem, ThreadTeam& team);

  bool unique() const { return best_.unique; }
  double allowed() const { return allowed_; }
  double error(ConstView x) const;  ///< x is d × 1
  bool good(ConstView x) const;

 private:
  double fit_error(ConstView x) const;
  bool of_least_norm(ConstView x) const;

  const Problem& problem_;
  RefinedSolution best_;
  std::vector<double> norms_;  // D
  double allowed_ = 0.0;
};

/// The goals of auto on problems that it was not tuned on.
std::vector<Goal> varied_verdict(const std::vector<VariedCase>& cases);

/// auto's seconds over those of the fastest good method; nothing if auto's x is not good
/// or no method has a good x.
std::optional<double> times_of_best(const VariedCase& one);

std::string varied_text(const std::vector<VariedCase>& cases);

// plan: the predictions of `polyak plan` (promises) against measured values.

/// The factor by which a prediction may be wrong, by the first word of its kind:
/// "exact" 1.01, "proved" and "bound" 1 (upper bounds), "model" 2, "estimate" 4,
/// "timed" 3.
double allowed_factor(const std::string& kind);

/// The predictions of the plan of this problem that can be tested in `limit_s` seconds
/// each: ends of the spectrum, rank, residual of the solution, iterations and seconds of
/// each method, convergence of the recommended method, and the choice of auto.
std::vector<Promise> promises_of(std::uint64_t seed, const std::string& text,
                                 const GeneratedProblem& problem, const SolveOptions& options,
                                 double limit_s, ThreadTeam& team);

std::vector<Goal> promise_verdict(const std::vector<Promise>& promises);
/// The predictions that were wrong, the worst first.
std::string promise_text(const std::vector<Promise>& promises);

}  // namespace polyak::bench
