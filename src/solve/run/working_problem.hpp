#pragma once

// The problem in the variables that the methods work in. Columns of very
// different size are brought to about one, and with an intercept centred
// (matrix/column_map.hpp); weights beyond the tame are multiplied by a power of
// four. Neither changes what is solved, nor loses a bit of A.

#include <optional>

#include "matrix/column_map.hpp"
#include "polyak/options.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

class WorkingProblem {
 public:
  /// Reads A once for its norms, once more where a sample of rows misjudged its
  /// columns. `user` must outlive this.
  WorkingProblem(const Problem& user, const SolveOptions& options, ThreadTeam& team);

  const Problem& problem() const { return changed_ ? *changed_ : user_; }
  const Problem& user() const { return user_; }
  const MatrixFacts& facts() const { return facts_; }
  /// Null where x is the user's own.
  const ColumnMap* map() const { return map_ ? &*map_ : nullptr; }
  /// What a residual of the working problem is multiplied by to be the user's.
  double residual_unit() const { return 1.0 / root_weight_; }

  /// c × d, in the user's variables.
  std::vector<double> to_user(ConstView x) const;
  /// The gradient with respect to the user's x, in place, one right-hand side.
  void gradient_to_user(std::span<double> g) const;
  /// How columns were scaled, for people; empty where they were not.
  std::string told() const;

 private:
  void map_columns(const SolveOptions& options, ThreadTeam& team);
  void change(std::optional<ColumnMap> map);
  ColumnMap first_map(std::uint64_t seed) const;
  bool rescale(ColumnMap& map) const;
  bool keeps_units() const;

  const Problem& user_;
  double root_weight_ = 1.0;  // √ of what weights and ridge are multiplied by
  std::optional<ColumnMap> map_;
  std::optional<Problem> changed_;
  MatrixFacts facts_;
};

/// Whether the method may work in other variables than the user's: not where step
/// size, momentum or ends of the spectrum are given for A as it is. Ranks call it together.
bool may_scale_columns(const Problem& problem, const SolveOptions& options);

}  // namespace polyak
