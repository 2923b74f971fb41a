#pragma once

// The methods that could solve a problem, cheapest first, with what each is
// predicted to take and why it is where it is.

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
};

/// `trial`: what some rows told, where they were looked at. Never empty.
std::vector<Candidate> candidates(const Problem& problem, double tol,
                                  const std::optional<SubsetTrial>& trial);

}  // namespace polyak
