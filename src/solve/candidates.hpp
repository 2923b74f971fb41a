#pragma once

// The methods that could solve a problem, cheapest first, with what each is
// predicted to take and why it is where it is; and those that could not. What
// auto does and what a plan shows both come from here.

#include <string>
#include <vector>

#include "solve/costs.hpp"
#include "solve/subset_trial.hpp"

namespace polyak {

struct Candidate {
  std::string method;
  std::string why;
  double seconds = 0.0;          ///< predicted, on the nominal machine of Costs
  std::optional<double> tol = {};     ///< another than the one asked for
  std::optional<double> passes = {};  ///< a trial: no more than these
  bool extended = false;              ///< … but for one that promises to end soon
};

struct RuledOut {
  std::string method;
  std::string why;
};

struct Choice {
  std::vector<Candidate> candidates;  ///< in the order they are taken; never empty
  std::vector<RuledOut> ruled_out;
};

/// How many rows auto solves before it chooses; 0 where that does not pay.
Index rows_to_look_at(const ProblemShape& shape, double tol);

/// `trial`: what some rows told, where they were looked at.
Choice choose(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial);

inline std::vector<Candidate> candidates(const Problem& problem, double tol,
                                         const std::optional<SubsetTrial>& trial) {
  return choose(shape_of(problem), tol, trial).candidates;
}

}  // namespace polyak
