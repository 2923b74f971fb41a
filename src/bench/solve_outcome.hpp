#pragma once

// What a case has come to, and what follows from it: pure functions of times
// and errors.

#include <string>
#include <vector>

#include "polyak/bench.hpp"
#include "polyak/report.hpp"

namespace polyak::bench {

struct Entrant {
  enum class Kind { automatic, sampled, fixed, peer };
  std::string name;
  Kind kind = Kind::fixed;
  bool converged = true;  ///< always, for a peer: it does not say
  double error = 1.0, backward_error = 1.0;
  std::vector<double> seconds = {};  ///< of each round
  std::optional<bool> good = {};     ///< where x was judged by itself, not beside auto's
};

struct Outcome {
  std::string name;
  Index cols = 0;
  bool consistent = false, sampling_wins = false;
  std::vector<Entrant> entrants;
  std::vector<Stage> stages;  ///< of auto
  std::optional<FromFile> from_file;

  /// The first of this kind, and of this name where it has one; or nothing.
  const Entrant* find(Entrant::Kind kind, const std::string& name = "") const;
};

/// Is x good enough to count as an answer: converged, and no more than 10 times
/// as far from the solution as auto's x, or within 1e-6? Where it was judged by itself, is it good?
bool counts(const Entrant& entrant, const Entrant& automatic);

/// a's seconds over b's, round by round.
Spread ratio(const Entrant& a, const Entrant& b);

SolvedCase summary(const Outcome& outcome);

/// What the project wants of whole solves; only goals that these cases say
/// something about.
std::vector<Goal> verdict(const std::vector<Outcome>& outcomes);

}  // namespace polyak::bench
