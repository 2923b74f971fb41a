#pragma once

// Whole problems. The subject solve: problems solved by auto, by the methods that can solve
// them, and by peers (problems -> cases -> contest -> outcome -> goals). The subjects auto and
// plan: the varied problems of a range of seeds.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/processes.hpp"
#include "bench/session.hpp"
#include "core/thread_team.hpp"
#include "polyak/bench.hpp"
#include "polyak/generate.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "problem/least_squares.hpp"

namespace polyak::bench::internal {

/// The problems, made from a seed and a number of rows (a million in the recorded runs;
/// the sizes below are for that). The reference of each is its least squares solution.
struct Problems {
  Index rows;
  std::uint64_t seed;
  int threads;

  /// The paper's problem: rows × 100 (20 columns if rows are few); `noise` is the radius.
  Problem paper(Decay decay, double rho, double kappa, double noise = 0.0) const;
  /// The same with noise a tenth as large as b.
  Problem noisy(Decay decay, double rho, double kappa) const;
  /// rows/5 × 200, singular values from 1 to 1/condition, equally spaced in their
  /// logarithm, with noise.
  Problem graded(double condition) const;
  /// rows/5 × 2000 normal numbers; `noise` is the radius.
  Problem gaussian(double noise) const;
  Index gaussian_columns() const;
  /// rows/5 × 50 normal numbers and b; twenty rows are a thousand times larger.
  Problem heavy() const;
  /// rows/10 × 60, two columns equal.
  Problem repeated() const;
  /// 400 × 4000.
  Problem wide() const;
  /// CSR, rows × rows/100, twenty entries per row, consistent.
  Problem sparse() const;
  /// A phantom of 64 × 64 pixels, 720 views, 128 detector elements.
  Problem scan() const;

 private:
  GenerateOptions options(double noise) const;
  SpectrumProblem shape(Decay decay, double rho, double kappa) const;
  std::vector<double> normals(Index count, std::uint64_t which) const;
  Problem solved(MatrixPtr A, std::vector<double> b) const;
};

/// A and b with the least-norm solution by QR as reference.
Problem with_reference(MatrixPtr A, Array b, int threads);

/// A problem, with the methods and peers that can solve it.
struct SolveCase {
  std::string name;
  std::function<Problem()> make;
  std::vector<std::string> methods;  ///< to run besides auto
  std::vector<std::string> peers;    ///< of the script
  bool consistent = false;           ///< then auto also runs with --certify sampled
  bool sampling_wins = false;        ///< algebraic, kappa 30 or more: has goals against LSQR
  bool from_file = false;            ///< also measured as a process that reads files
};

/// The built-in cases. The problems are made later, one at a time.
std::vector<SolveCase> solve_cases(const Options& options);

/// Those of a folder; a matrix without right-hand side is reported by `note`. Error
/// no_input if there is no such folder, or no matrix in it.
std::vector<SolveCase> given_cases(const std::string& folder, int threads,
                                   const std::function<void(const std::string&)>& note);

/// For each text between commas: the case of that name, or else all cases whose names
/// contain it. Error usage if there is none.
std::vector<SolveCase> chosen_cases(std::vector<SolveCase> all, const std::string& texts);

/// The built-in cases and those of --data, as chosen by --cases.
std::vector<SolveCase> cases_of(Session& session);

struct Entrant {
  enum class Kind { automatic, sampled, fixed, peer };
  std::string name;
  Kind kind = Kind::fixed;
  bool converged = true;  ///< always true for a peer, which does not report it
  double error = 1.0, backward_error = 1.0;
  std::vector<double> seconds = {};  ///< of each round
  std::optional<bool> good = {};     ///< set if x was judged by a QualityJudge
};

/// The results of a case.
struct Outcome {
  std::string name;
  Index cols = 0;
  bool consistent = false, sampling_wins = false;
  std::vector<Entrant> entrants;
  std::vector<Stage> stages;  ///< of auto
  std::optional<FromFile> from_file;

  /// The first entrant of this kind and, if given, of this name; or null.
  const Entrant* find(Entrant::Kind kind, const std::string& name = "") const;
};

/// The accuracy of x, measured in the same way for all entrants.
class Judge {
 public:
  Judge(const Problem& problem, polyak::internal::ThreadTeam& team);
  /// ‖x − reference‖/‖reference‖, at least 1e-17; x is d × 1.
  double error(ConstView x) const;
  /// The smaller of ‖r‖/(‖A‖_F‖x‖+‖b‖) and ‖Aᵀr‖/(‖A‖_F‖r‖), at least 1e-17.
  double backward_error(ConstView x) const;

 private:
  const Problem& problem_;
  polyak::internal::ThreadTeam& team_;
  double frobenius_ = 0.0, b_norm_ = 0.0;
};

/// Each entrant runs once to be judged, then all run in turns, from arrays in memory to
/// x, set-up included. `exchange` holds the problem if there are peers.
Outcome contest(Session& session, const SolveCase& what, const Problem& problem,
                const Exchange& exchange);

/// `polyak solve` as a process on files, compared with NumPy: load, normal equations,
/// save.
FromFile file_contest(Session& session, const SolveCase& what, const Problem& problem,
                      const Exchange& exchange);

/// True if x counts as a solution: converged, and its error is at most 1e-6 or 10 times
/// the error of auto's x. If `good` is set, that decides.
bool counts(const Entrant& entrant, const Entrant& automatic);

/// a's seconds over b's, round by round.
Spread ratio(const Entrant& a, const Entrant& b);

SolvedCase summary(const Outcome& outcome);

/// The goals of whole solves that these cases measure.
std::vector<Goal> verdict(const std::vector<Outcome>& outcomes);

// The subjects auto and plan.

/// From "0:9" or "7", and "all", "even" or "odd". Error usage for anything else, and if
/// no seed remains.
std::vector<std::uint64_t> seeds_of(const std::string& range, const std::string& parity);

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
  QualityJudge(const Problem& problem, polyak::internal::ThreadTeam& team);

  bool unique() const { return best_.unique; }
  double allowed() const { return allowed_; }
  double error(ConstView x) const;  ///< x is d × 1
  bool good(ConstView x) const;

 private:
  double fit_error(ConstView x) const;
  bool of_least_norm(ConstView x) const;

  const Problem& problem_;
  polyak::internal::RefinedSolution best_;
  std::vector<double> norms_;  // D
  double allowed_ = 0.0;
};

/// The goals of auto on problems that it was not tuned on.
std::vector<Goal> varied_verdict(const std::vector<VariedCase>& cases);

/// auto's seconds over those of the fastest good method; nothing if auto's x is not good
/// or no method has a good x.
std::optional<double> times_of_best(const VariedCase& one);

std::string varied_text(const std::vector<VariedCase>& cases);

// The subject plan: the predictions of `polyak plan` (promises) against measured values.

/// The factor by which a prediction may be wrong, by the first word of its kind:
/// "exact" 1.01, "proved" and "bound" 1 (upper bounds), "model" 2, "estimate" 4,
/// "timed" 3.
double allowed_factor(const std::string& kind);

/// The predictions of the plan of this problem that can be tested in `limit_s` seconds
/// each: ends of the spectrum, rank, residual of the solution, iterations and seconds of
/// each method, convergence of the recommended method, and the choice of auto.
std::vector<Promise> promises_of(std::uint64_t seed, const std::string& text,
                                 const GeneratedProblem& problem, const SolveOptions& options,
                                 double limit_s, polyak::internal::ThreadTeam& team);

std::vector<Goal> promise_verdict(const std::vector<Promise>& promises);
/// The predictions that were wrong, the worst first.
std::string promise_text(const std::vector<Promise>& promises);

}  // namespace polyak::bench::internal
