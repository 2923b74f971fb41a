#pragma once

// The method auto as data: its stages in order, with the predicted cost, the memory and the
// limits of each. Built once from the sizes of a problem; automatic.cpp executes the stages,
// automatic_plan.cpp lists them for the user, and solve_bytes (polyak/memory.hpp) adds up their
// memory.
//
//   subset-direct  some rows are solved directly and checked on others. Only where that
//                  costs little compared with the methods that follow. Consistent data are solved
//                  by it; otherwise it shows the conditioning and the size of the noise.
//   subset-cg      some rows are solved by cg. Only where there is no subset-direct and the
//                  rows are stored. It gives a start, and an estimate of cg's iterations.
//   methods        the candidates by ascending cost, perhaps a trial before them, and after
//                  them one that works for every problem. Each is skipped once the tolerance is
//                  met or a limit is reached; where A turns out to be too ill-conditioned for
//                  the answer, all are skipped but those that take any condition.

#include <optional>
#include <string>
#include <vector>

#include "method/record.hpp"
#include "polyak/solve.hpp"

namespace polyak::internal {

struct RuledOut {
  std::string method;
  std::string why;
};

/// The methods that could solve a problem and those that could not.
struct Choice {
  std::vector<Candidate> candidates;  ///< in the order they are run; never empty
  std::vector<RuledOut> ruled_out;
};

struct AutoStage {
  Candidate run = {};        ///< its name in reports, predicted seconds and limits
  double bytes = 0.0;        ///< beside A, b and weights
  Index rows = 0;            ///< of a subset
  bool by_gram = false;      ///< subset-direct: by normal equations, where QR would cost too much
  Index max_iterations = 0;  ///< subset-cg
  double expected_iterations = 0.0;  ///< subset-cg: on rows with random entries
};

/// Results of the stages on a subset; empty where they were not run.
struct SubsetFindings {
  std::optional<SubsetFacts> facts = {};     ///< of subset-direct
  std::optional<double> cg_iterations = {};  ///< on all rows, extrapolated from subset-cg
};

class AutoPlan {
 public:
  /// From sizes alone. The options must outlive the plan.
  AutoPlan(const ProblemShape& shape, const SolveOptions& options);

  /// subset-direct; nothing where it would cost too much.
  const std::optional<AutoStage>& look() const { return look_; }
  /// subset-cg; nothing where it would cost too much.
  const std::optional<AutoStage>& subset_cg() const { return subset_cg_; }
  /// The methods that follow, and those that are ruled out.
  Choice choice(const SubsetFindings& found = {}) const;
  std::vector<AutoStage> methods(const std::vector<Candidate>& candidates) const;
  /// The largest need of memory up to the first method that is no trial.
  double bytes() const;
  const Costs& costs() const { return costs_; }

 private:
  std::optional<AutoStage> plan_look() const;
  std::optional<AutoStage> plan_subset_cg() const;
  AutoStage subset_direct(double rows_per_column, bool by_gram, double seconds) const;

  ProblemShape shape_;
  const SolveOptions& options_;
  Costs costs_;
  double n_, d_;
  std::optional<AutoStage> look_, subset_cg_;
};

/// The sizes of a subset of average rows.
ProblemShape shape_of_rows(const ProblemShape& shape, Index rows);

/// Bytes of a subset of the rows that is solved directly and checked on others.
double subset_bytes(const ProblemShape& shape, Index rows, const SolveOptions& options);

/// Executes the stages until one of them has solved the problem.
Report automatic_solve(const Problem& problem, const SolveOptions& options, Observer* observer,
                       const Snapshot* from);

}  // namespace polyak::internal
