#pragma once

// Candidates of the method auto: what a method's record is given to decide whether it
// could solve a problem, and what it answers. Numbers only: nothing here reads A.

#include <optional>
#include <span>
#include <string>

#include "method/costs.hpp"

namespace polyak {

/// What a subset of the rows, solved directly, has shown (solve/auto/subset_trial.hpp).
struct SubsetFacts {
  Index rows_solved = 0;
  Index rank = 0;          ///< of the subset
  bool full_rank = false;  ///< the subset, and therefore A, has full column rank
  /// Columns that depend on each other have many entries in the subset each: they depend
  /// on each other in all rows too.
  bool dependent = false;
  double condition = 0.0;   ///< of the subset with scaled columns, σ_1/σ_rank; may be infinite
  bool unresolved = false;  ///< solved by normal equations, which do not resolve its condition
  double relative_residual = 0.0;  ///< ‖r‖/‖b‖ over the rows that check the solution

  /// AᵀA would not resolve A.
  bool ill_conditioned() const;
};

/// Largest condition of A that AᵀA still resolves well enough for refined steps to reach
/// the accuracy of QR.
constexpr double max_normal_condition = 4e6;

/// One method as auto would run it.
struct Candidate {
  std::string method;
  std::string why;
  double seconds = 0.0;               ///< predicted, on the nominal machine of Costs
  std::optional<double> tol = {};     ///< where another than the requested one
  std::optional<double> passes = {};  ///< a trial: at most this many
  bool may_continue = false;          ///< a trial that is continued where it will soon converge
  /// Given up where more iterations than these are extrapolated.
  std::optional<double> max_expected_iterations = {};
};

/// A method's answer: a candidate, or why it is none. Both empty: the method does not
/// concern problems of this kind.
struct Proposal {
  std::optional<Candidate> candidate = {};
  std::string ruled_out = {};
};

inline Proposal propose(Candidate candidate) { return {std::move(candidate), {}}; }
inline Proposal rule_out(std::string why) { return {std::nullopt, std::move(why)}; }

/// When a method proposes itself. Later turns see the candidates of earlier ones.
enum class Turn {
  never,          ///< runs only where it is named
  factorisation,  ///< sees no other candidate
  iteration,      ///< sees the factorisations
  trial,          ///< a short trial in front of all others; sees them by ascending seconds
  last            ///< what remains where all others fail
};

/// The facts, gathered once for all candidates.
struct CandidateInputs {
  const ProblemShape& shape;
  const Costs& costs;
  double tol;
  double n, d;                               ///< rows and columns
  const std::optional<SubsetFacts>& subset;  ///< where a subset was solved directly
  std::optional<double> cg_iterations;  ///< of cg on all rows, extrapolated from cg on a subset
  bool subset_first;                    ///< auto solves a subset of the rows before it chooses
  bool small;                           ///< QR takes at most Costs::at_once
  std::span<const Candidate> factorisations = {};  ///< of the first turn
  /// Of all turns before; by ascending seconds for `trial` and `last`.
  std::span<const Candidate> others = {};

  bool dependent() const { return subset && subset->dependent; }
  bool ill_conditioned() const { return subset && subset->ill_conditioned(); }
  /// min(n, d) is small enough for a dense factorisation.
  bool can_factor() const;
};

/// Texts and numbers that several records share.
namespace candidate {
constexpr double max_square_bytes = 4e9;   ///< of matrices of d × d
constexpr double unknown_iterations = 50;  ///< of conjugate gradients, where nothing is known
/// Of the seconds of the next method: what a trial of conjugate gradients may take.
constexpr double trial_share = 0.25;
Proposal small_problem();
std::string too_large_to_factor();
std::string dependent_columns(const CandidateInputs& in);
/// The tolerance that gives a good x, not only a small residual: at a condition of kappa
/// that takes a backward error of tol/kappa.
double tol_for_x(const CandidateInputs& in);
}  // namespace candidate

}  // namespace polyak
