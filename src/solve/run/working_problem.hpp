#pragma once

// The problem in the variables that the methods work in. Columns of very different size are scaled
// to similar norms, and with an intercept centred (matrix/column_map.hpp); very large or small
// weights are multiplied by a power of four. Neither changes the solution, nor loses a bit of A.

#include <optional>

#include "matrix/column_map.hpp"
#include "polyak/options.hpp"
#include "spectrum/normal_equations.hpp"

namespace polyak {

/// What the first read of A gives a method that works on AᵀA.
enum class FirstRead {
  cheapest,  ///< norms only where the start is not zero and AᵀA costs more: the start may solve
             ///< the problem already, which one more read shows
  equations  ///< AᵀA and Aᵀb whatever the start
};

class WorkingProblem {
 public:
  /// Reads A once for its norms, and again where a sample of rows gave wrong scales for its
  /// columns; `sums` computes them where it has A. For a method that works on AᵀA the same read
  /// gives that and Aᵀb, unless there are `sums`. `user` must outlive this.
  WorkingProblem(const Problem& user, const SolveOptions& options, ThreadTeam& team,
                 FirstRead first_read = FirstRead::cheapest, RowSums* sums = nullptr);

  const Problem& problem() const { return changed_ ? *changed_ : user_; }
  const Problem& user() const { return user_; }
  const MatrixFacts& facts() const { return swept_.facts; }
  /// Where sums over all rows of problem().A() are computed from now on; null: on the host.
  void use(RowSums* sums) { swept_.facts.sums = sums; }
  /// AᵀA and Aᵀb of problem(); null where the read for the facts did not give them.
  const NormalEquations* normal() const { return swept_.normal ? &*swept_.normal : nullptr; }
  /// Null where the variables are the user's.
  const ColumnMap* map() const { return map_ ? &*map_ : nullptr; }
  /// True for a column of one value beside an intercept, which says the same: centring leaves
  /// zeros, or rounding, and then its unit is 0.
  bool is_constant(Index j) const {
    const auto k = to_size(j);
    return map_ && map_->centred() && k < map_->centre.size() && map_->centre[k] != 0.0 &&
           (map_->units[k] == 0.0 || facts().column_norms[k] == 0.0);
  }
  /// Factor from residuals of the working problem to the user's.
  double residual_unit() const { return 1.0 / root_weight_; }

  /// c × d, in the user's variables.
  std::vector<double> to_user(ConstView x) const;
  /// x of right-hand side c (d numbers) in the variables of the working problem.
  std::vector<double> from_user(const double* x, Index c) const;
  /// ‖b_c‖ of the user's right-hand side c, in the units of facts().b_norms: these are of b
  /// without its level.
  double user_rhs_norm(Index c) const;
  /// The gradient with respect to the user's x, in place, one right-hand side.
  void gradient_to_user(std::span<double> g) const;
  /// How columns were scaled, for the report; empty where they were not.
  std::string description() const;

 private:
  void map_columns(const SolveOptions& options, ThreadTeam& team);
  bool wants_equations(const SolveOptions& options) const;
  void read(const SolveOptions& options, ThreadTeam& team);
  void read_in_units(const std::vector<double>& before, ThreadTeam& team);
  void gather(ThreadTeam& team, RowSums* sums = nullptr);
  void change(std::optional<ColumnMap> map);
  void take_level_off(std::uint64_t seed, ThreadTeam& team);
  void shift_rhs(ThreadTeam& team);
  std::vector<double> start_of(Index c) const;
  double level(Index c) const { return levels_.empty() ? 0.0 : levels_[to_size(c)]; }
  ColumnMap first_map(std::uint64_t seed) const;
  bool rescale(ColumnMap& map) const;
  bool keeps_units() const;
  double with_ridge(double norm, Index j) const;
  std::vector<double> values_of_removed() const;

  const Problem& user_;
  FirstRead first_read_;
  Index most_kept_;           // rows of which the norms are kept
  double root_weight_ = 1.0;  // √ of the factor of weights and ridge
  std::optional<ColumnMap> map_;
  // With an intercept: what was subtracted from each right-hand side, b without it, and the norms
  // that b had; empty where nothing was.
  std::vector<double> levels_, rhs_norms_;
  Array rhs_;
  std::vector<double> removed_;  // c × d: the unknowns of columns with a unit of 0
  std::optional<Problem> changed_;
  SweptFacts swept_;
};

/// Whether the method may work in other variables than the user's: not where step
/// size, momentum or ends of the spectrum are given for A as it is. Collective.
bool may_scale_columns(const Problem& problem, const SolveOptions& options);

}  // namespace polyak
