#pragma once

// AᵀWA, AᵀWb and bᵀWb together with the facts about A, from one read of A and b, and what they
// tell about the residual r = Ax − b of any x without another read:
//   AᵀWr = AᵀWA·x − AᵀWb,   ‖r‖² = bᵀWb + xᵀ(AᵀWr − AᵀWb).
//
// Rounding. An entry of AᵀWA is a sum of n products in chains of at most m additions, so that
// with u = 2⁻⁵³ and rho = γ_m = mu/(1 − mu)
//   |fl(a_jᵀa_k) − a_jᵀa_k| ≤ rho·Σ_i|a_ij||a_ik| ≤ rho·‖a_j‖‖a_k‖     (Cauchy, Schwarz),
// and the same for AᵀWb and bᵀWb with b as one more column. With S = ‖b‖ + Σ_j‖a_j‖|x_j| it follows
//   |error of a_jᵀr| ≤ rho·‖a_j‖·S,    |error of ‖r‖²| ≤ rho·S²,
// plus the rounding of the formulas above, of the same form with γ of their own length. The bound
// of the gradient is tol·‖a_j‖‖r‖ as soon as ‖r‖ ≥ (rho/tol)·S, about 10⁻⁵·S for a tolerance of
// 10⁻⁸. For smaller residuals, and for consistent data, A has to be read again.
//
// Where A was read at some x_0 for the gradient g_0 and the residual r_0, the same holds for steps
// from there: with D = Σ_j‖a_j‖|x_j − x_0j| the errors are at most rho·‖a_j‖·D and
// rho·(D² + 2‖r_0‖D), beside those of that read. In it every residual has a rounding error of
// e = γ_{d/8+16}·(|b_i| + Σ_j|a_ij||x_0j|), together e·S_0 in norm, and the sums over n rows one of
// γ_n: g_0 is off by at most ‖a_j‖(e·S_0 + γ_n‖r_0‖), ‖r_0‖² by e·S_0(2‖r_0‖ + e·S_0) + γ_n‖r_0‖².

#include <optional>
#include <span>
#include <vector>

#include "spectrum/facts.hpp"

namespace polyak::internal {

/// The Gram matrix of [A b] with the row weights, in the variables of the problem.
struct NormalEquations {
  Index n = 0, d = 0, c = 0;       ///< rows, columns, right-hand sides
  std::vector<double> all = {};    ///< (d + c) × (d + c), both triangles
  double rounding = 0.0;           ///< rho
  std::vector<double> norms = {};  ///< ‖a_j‖, then ‖b_c‖: the roots of the diagonal

  const double* row(Index j) const { return all.data() + j * (d + c); }
  double rhs(Index j, Index k) const { return row(j)[d + k]; }
  double rhs2(Index k) const { return row(d + k)[d + k]; }
  /// Column j of A times factors[j]: powers of two, or 0. Exact.
  void scale_columns(std::span<const double> factors);
};

struct SweptFacts {
  MatrixFacts facts;                      ///< without norms2
  std::optional<NormalEquations> normal;  ///< nothing where one read does not give them
};

/// One read of A and b. Where a column seems to be zero, numbers are so large or small that A has
/// to be scaled, or a value is not finite, a second read gathers the facts (gather_facts, which
/// throws Error bad_data for the last of these); the equations remain in the first case only.
SweptFacts sweep(const Problem& problem, ThreadTeam& team);

/// Whether sweep() is able to give the normal equations: rows can be read, and centring the
/// columns does not cancel digits of AᵀWA.
bool can_sweep(const RowMatrix& A);

/// Multiplies columns by powers of two, or removes them (factor 0), in facts and equations.
void scale_columns(SweptFacts& swept, std::span<const double> factors);

/// The residual and its gradient at any x, with bounds of their errors, from the normal equations
/// and a point at which both are known: 0, or the last x at which A was read. Of the rows of A
/// only, without a ridge.
class NormalModel {
 public:
  explicit NormalModel(const NormalEquations& equations);

  /// A was read at x (c × d): gradient g and ‖r‖² of each right-hand side.
  void read_at(ConstView x, ConstView g, std::span<const double> residual2);
  /// True if the gradient at x is known without AᵀA: A was read there, or x is 0.
  bool known_at(ConstView x) const;

  /// For one right-hand side.
  struct Value {
    double residual2 = 0.0;
    double residual2_error = 0.0;  ///< at most, absolute
    double gradient_error = 0.0;   ///< at most, of g_j as a multiple of ‖a_j‖
  };
  /// g (d numbers) = AᵀWr at x of right-hand side k.
  Value at(const double* x, Index k, double* g) const;

  /// The last read of A, for a saved run: state_size(c, d) numbers at any time, zeros before a
  /// read.
  std::vector<double>& state() { return state_; }
  static std::size_t state_size(Index c, Index d) { return to_size(1 + c * (2 * d + 1)); }

 private:
  // Of ‖r_0‖² and, as a multiple of ‖a_j‖, of g_0.
  struct Errors {
    double residual2, gradient;
  };
  Errors base_errors(Index k) const;
  Index size() const { return equations_.c * equations_.d; }
  const double* base() const { return (state_[0] != 0.0 ? state_ : origin_).data() + 1; }
  const double* base_gradient() const { return base() + size(); }
  const double* base_residual2() const { return base_gradient() + size(); }

  const NormalEquations& equations_;
  double row_rounding_;  // of a residual, as a multiple of |b_i| + Σ_j|a_ij||x_j|
  double rounding_;      // of the equations and of at()
  // 1, then x, g (c × d each) and ‖r‖² (c) where A was last read; zeros if it was not: then the
  // base is x = 0.
  std::vector<double> origin_, state_;
};

}  // namespace polyak::internal
