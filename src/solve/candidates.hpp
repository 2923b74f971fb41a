#pragma once

// The methods that could solve a problem, cheapest first, with what each is
// predicted to take and why it is where it is; and those that could not. What
// auto does and what a plan shows both come from here.

#include <string>
#include <vector>

#include "solve/costs.hpp"
#include "solve/subset_trial.hpp"

namespace polyak {

/// Condition of A whose square AᵀA still resolves, so that refined steps reach what QR does.
constexpr double most_for_normal = 4e6;

struct Candidate {
  std::string method;
  std::string why;
  double seconds = 0.0;          ///< predicted, on the nominal machine of Costs
  std::optional<double> tol = {};     ///< another than the one asked for
  std::optional<double> passes = {};  ///< a trial: no more than these
  bool extended = false;              ///< … but for one that promises to end soon
  std::optional<double> most_expected = {};  ///< given up where more iterations are foreseen
};

struct RuledOut {
  std::string method;
  std::string why;
};

struct Choice {
  std::vector<Candidate> candidates;  ///< in the order they are taken; never empty
  std::vector<RuledOut> ruled_out;
};

/// What auto solves before it chooses.
struct RowsToLookAt {
  Index rows = 0;         ///< 0 where that does not pay
  bool by_gram = false;   ///< by normal equations, where QR would cost too much
  double seconds = 0.0;   ///< predicted

  /// In reports and plans.
  const char* name() const { return by_gram ? "subset-normal" : "subset-direct"; }
};
RowsToLookAt rows_to_look_at(const ProblemShape& shape, double tol);

/// So many rows of it, as they are on the average.
ProblemShape shape_of_rows(const ProblemShape& shape, Index rows);

/// Where so many rows would cost too much to solve directly: some of them by cg, before
/// auto chooses.
struct PartToTry {
  static constexpr const char* name = "subset-cg";  ///< in reports and plans
  Index rows = 0;        ///< 0 where that does not pay
  Index iterations = 0;  ///< and no more
  double expected = 0.0;  ///< … of rows drawn at random
  double seconds = 0.0;   ///< predicted by that
};
PartToTry part_to_try(const ProblemShape& shape, double tol);

/// `trial`: what some rows told, where they were looked at. `steps`: how many iterations
/// of cg they promise, where it was tried on some.
Choice choose(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial,
              std::optional<double> steps = {});

}  // namespace polyak
