#pragma once

/// \file theory.hpp
/// Predictions of the theory: the batch size that is needed, the convergence rates of
/// Minibatch-HBM and Minibatch-NAG, and the step size and momentum for a given batch. Pure
/// functions of numbers.
///
/// Throughout, H = AᵀA has eigenvalues between lambda_min > 0 (the smallest
/// nonzero one) and lambda_max, kappa is their ratio, and p_i are the sampling
/// probabilities of the rows, drawn with replacement. "Rate" means r with
/// E‖x_k − x*‖² = O(r^2k). A function returns infinity where the
/// theory gives infinity, and an empty optional where it gives no statement. Invalid arguments
/// are an Error usage. Three terms: *certified* results are proved for every A, *exact* results
/// hold for the given A up to rounding, a *model* is neither.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::theory {

enum class Method { heavy_ball, nesterov };

/// Step size and momentum. Both √beta and 1 − √beta are stored, because for √beta near 1 the
/// difference would lose its digits.
struct Parameters {
  double alpha = 0.0;
  double root = 0.0;  ///< √beta
  double gap = 1.0;   ///< 1 − √beta

  double beta() const { return root * root; }
  static Parameters of(double alpha, double beta);
  static Parameters with_gap(double alpha, double gap) { return {alpha, 1.0 - gap, gap}; }
};

/// Numbers of A for the closed forms.
struct MatrixNumbers {
  double lambda_min = 0.0;
  double lambda_max = 0.0;
  double frobenius2 = 0.0;  ///< ‖A‖_F², the sum of the eigenvalues
  Index cols = 0;
  double eta = 1.0;  ///< max ‖a_i‖²/(p_i ‖A‖_F²); 1 for row-norm sampling

  double kappa() const { return lambda_max / lambda_min; }
  double kappa_bar() const { return frobenius2 / lambda_min / static_cast<double>(cols); }
  double energy() const { return eta * frobenius2; }
};

/// Throws Error usage unless 0 < lambda_min ≤ lambda_max ≤ frobenius2, cols ≥ 1
/// and eta ≥ 1.
void check(const MatrixNumbers& numbers);

// ---- Parameters of the paper -------------------------------------------------

/// Heavy ball on the spectrum widened by gamma·lambda_min at both ends; gamma in
/// [0, 1), and 0 is the optimum for exact gradients.
Parameters heavy_ball_parameters(double lambda_min, double lambda_max, double gamma = 0.0);
/// Nesterov's constant choice on the same widened spectrum.
Parameters nesterov_parameters(double lambda_min, double lambda_max, double gamma = 0.0);

/// The rate with exact gradients, rho(T); no batch gives a better one.
double contraction(Method method, const Parameters& p, double lambda_min, double lambda_max);

/// The paper's bounds need (1 − √beta)²/lambda_min < alpha < (1 + √beta)²/lambda_max.
bool admissible(const Parameters& p, double lambda_min, double lambda_max);
/// Throws Error usage, with the bounds of alpha in numbers, unless admissible.
void check_admissible(const Parameters& p, double lambda_min, double lambda_max);

// ---- Closed forms of the paper, corrected ------------------------------------

/// M(alpha, beta), the exact condition number of the matrix of eigenvectors of T; infinite
/// where T is defective or has real eigenvalues.
double condition_number(const Parameters& p, double lambda_min, double lambda_max);

/// Heavy ball with exact gradients: upper bounds of ‖x − x*‖/‖x_0 − x*‖ after `steps` steps.
/// The bound of the paper, √2·M·√beta^k, and a sharper one that is finite at the optimal
/// parameters.
double heavy_ball_bound(double M, const Parameters& p, Index steps);
double heavy_ball_sharp_bound(const Parameters& p, double lambda_min, double lambda_max,
                              Index steps);

/// The batch for which the matrix lemma gives √E‖W‖² ≤ delta.
double matrix_lemma_batch(const MatrixNumbers& numbers, double delta);

/// k* with k*/log k* = √kappa; empty for kappa < e², where there is no solution.
std::optional<double> k_star(double kappa);
/// theta = log k*/k*, the only form in which k* enters the theorem; k* > 1.
double theta_of(double k_star);

/// The paper's theorem for Minibatch-HBM with heavy_ball_parameters(…, gamma).
struct HeavyBallTheory {
  Parameters optimal;     ///< for gamma = 0
  Parameters parameters;  ///< for the given gamma
  double M = 0.0;         ///< infinite for gamma = 0
  double M_bound = 0.0;   ///< the upper bound of M in the lemma
  /// B*, an order of magnitude and not a bound. Absent for kappa < 2, where it is meaningless.
  std::optional<double> batch_heuristic;
  std::optional<double> k_star;
  double theta = 0.0;
  double delta = 0.0;                ///< the rate is √beta^(1 − delta)
  double rate_theorem = 0.0;         ///< no statement if it is 1 or more
  double batch_theorem = 0.0;        ///< with the exact M and log 2d
  double batch_theorem_bound = 0.0;  ///< with M_bound and log 2d
  double batch_vector = 0.0;         ///< certified for the same rate, without the logarithm
  double batch_certified_stability = 0.0;
};
/// theta = 1/√kappa if k_star is not given.
HeavyBallTheory heavy_ball_theory(const MatrixNumbers& numbers, double gamma,
                                  std::optional<double> k_star = {});

/// The paper's theorem for Minibatch-NAG; M is infinite for gamma = 0.
struct NesterovTheory {
  Parameters parameters;
  double M = 0.0, M_bound = 0.0;
  double rate = 0.0;         ///< with exact gradients: 1 − 1/√(L/l)
  double rate_factor = 0.0;  ///< the theorem's 1 − 1/(√(L/l) + 1)
  double rate_theorem = 0.0;
  double batch_theorem = 0.0;
};
NesterovTheory nesterov_theory(const MatrixNumbers& numbers, double gamma,
                               std::optional<double> k_star = {});

/// The step size for which the heuristic B* is `batch` at momentum beta.
double heuristic_step(const MatrixNumbers& numbers, double batch, double beta);

/// Certified: this batch gives the rate r,
/// E‖x_{k+1} − x*‖² + E‖x_k − x*‖² ≤ 2M²r^2k ‖x_0 − x*‖². eta_eff may replace eta here.
double vector_batch(const MatrixNumbers& numbers, const Parameters& p, double r);

/// The constant C(c) of the corollary B ≥ C·eta·d·log(2d)·kappa_bar·√kappa for the rate
/// 1 − c/√kappa and large kappa; 0 < c < 2.
double corollary_constant(double c);
/// The best gamma for the rate 1 − 1/√kappa, by the theorem and by vector_batch (which has no
/// logarithm).
struct CorollaryChoice {
  double gamma = 0.0, M = 0.0, constant = 0.0;
};
CorollaryChoice best_corollary(double kappa);
CorollaryChoice best_vector_corollary(double kappa);

/// The paper's upper bound for the convergence horizon of an inconsistent problem (the radius
/// around x* in which the iterates stay). It can be 1e5 times too large; see horizon and
/// certified_horizon.
struct PaperHorizon {
  double printed = 0.0;
  double corrected = 0.0;  ///< with 2d + 1, as the proof gives
  double no_log = 0.0;     ///< corrected, without the Bernstein step
  /// False where the batch does not satisfy the hypothesis: the numbers then have no meaning.
  bool applicable = false;
};
/// sigma = max |r_i|/‖a_i‖.
PaperHorizon paper_horizon(const MatrixNumbers& numbers, const HeavyBallTheory& theory,
                           double batch, double residual_norm, double sigma);

/// A line of the paper's table: iterations, and row products per iteration, for a constant
/// accuracy, without constant factors.
struct TableRow {
  std::string method;
  double iterations = 0.0;
  double rows_per_iteration = 0.0;
};
/// `nu` is that of the corrected ARK, if known (d ≤ nu).
std::vector<TableRow> iteration_table(const MatrixNumbers& numbers, Index rows,
                                      std::optional<double> nu = {});

// ---- Models of the sampling noise, and predictions from any model ------------

/// For a symmetric P and a vector m in the space of x:
///   out = Σ_i p_i⁻¹ (a_iᵀPa_i + 2 r_i a_iᵀm + r_i²) a_i a_iᵀ,   r = Ax* − b;
/// with m empty the same for r = 0. With a ridge g = Aᵀr is not zero, and the function must
/// subtract Hm·gᵀ + g·(Hm)ᵀ + g·gᵀ.
using RowNoise = std::function<void(ConstView P, std::span<const double> m, View out)>;
/// The RowNoise of rows in memory, which must outlive the function; reads both triangles of P.
RowNoise noise_of_rows(ConstView rows, std::span<const double> probabilities,
                       std::span<const double> residual = {});

class Impulse;

/// A model of the sampling noise as a function of the error. Made by the functions below.
struct Model {
  std::string name;
  bool certified = false;  ///< its batches and rates are proved for every A with these numbers
  bool ends_only = false;  ///< `eigenvalues` are only the two bounds of the spectrum
  std::vector<double> eigenvalues;  ///< of AᵀA, without the ridge
  double ridge = 0.0;               ///< added to the eigenvalues in the exact gradient
  double energy = 0.0;              ///< eta·‖A‖_F² or eta_H·‖A‖_F², for the recipe
  /// B(r)/alpha². `hint` carries the start vector from one evaluation to the next.
  std::function<double(const Model&, const Impulse&, std::vector<double>& hint)> growth;
  /// The covariance E ee' of the error in the eigenbasis is stored in width·d numbers: 1 for
  /// its diagonal, d for the full matrix, 0 if the model has no trajectories.
  Index width = 0;
  /// out = the covariance that one step adds, times B/alpha², for an error with covariance X
  /// and mean m, and a residual at x* of squared norm residual2 (an exact model has its own r
  /// and only tests whether residual2 is zero).
  std::function<void(std::span<const double> X, std::span<const double> m, double residual2,
                     std::span<double> out)>
      noise;
};

/// Certified for any A with these eigenvalues; sharp for row-norm sampling.
/// `energy` is eta·‖A‖_F² or an upper bound. With a lambda_max or an energy below the true value
/// nothing is certified.
Model worst_case_model(std::vector<double> eigenvalues, double energy);
/// The same from bounds of the spectrum: certified for rates up to 1 for heavy ball (for NAG
/// this was only checked numerically).
Model worst_case_model(double lambda_min, double lambda_max, double energy);
/// Certified and sharper, from S = Σ p_i⁻¹‖a_i‖² a_i a_iᵀ in the eigenbasis, d × d.
Model spread_model(std::vector<double> eigenvalues, std::vector<double> S);
/// lambda_max(H^-1/2 S H^-1/2) = eta_H·‖A‖_F², which may replace eta·‖A‖_F² in
/// the recipe, stability_number and the worst-case model.
double spread_energy(std::span<const double> eigenvalues, std::span<const double> S);
/// K_ij = Σ_l p_l⁻¹ (v_iᵀa_l)² (v_jᵀa_l)², d × d. Its rates can be too
/// good. residual_noise_j = Σ_l p_l⁻¹ r_l² (v_jᵀa_l)²/‖r‖² is needed only for a horizon.
Model diag_model(std::vector<double> eigenvalues, const std::vector<double>& K,
                 std::vector<double> residual_noise = {});
/// Haar or Gaussian rows, uniform sampling; rows = 0 means infinitely many.
Model gaussian_uniform_model(std::vector<double> eigenvalues, Index rows = 0);
/// Gaussian rows, row-norm sampling.
Model gaussian_row_norm_model(std::vector<double> eigenvalues);
/// Exact for the given A. Row j of `eigenvectors` belongs to eigenvalues[j]. Calls
/// `noise` once here, and some tens of times for each batch or rate.
Model exact_model(std::vector<double> eigenvalues, std::vector<double> eigenvectors,
                  RowNoise noise);

/// The batch B(r) that gives the rate r; infinite for r ≤ contraction(…). Decreasing in r.
double batch_for_rate(const Model& model, Method method, const Parameters& p, double r);
/// The batch above which the iterates stay bounded: B(1).
double stability_threshold(const Model& model, Method method, const Parameters& p);
/// The rate for a batch; above 1 the method diverges. Infinite where a model with ends_only
/// gives no statement.
double rate_for_batch(const Model& model, Method method, const Parameters& p, double batch);
/// An upper bound of batch_for_rate of an exact model (in exact arithmetic), so it may be
/// called certified.
double upper_batch_for_rate(const Model& model, Method method, const Parameters& p, double r);

/// The start of a run: v_jᵀ(x_0 − x*), or empty for the average over all directions with
/// E‖x_0 − x*‖² = 1; and ‖r‖ at x*, of which an exact model uses only whether it is zero.
struct Start {
  std::vector<double> components;
  double residual_norm = 0.0;
};
/// E‖x − x*‖² after 0, 1, …, `steps` steps; models with `noise` only.
std::vector<double> mean_square_trajectory(const Model& model, Method method, const Parameters& p,
                                           double batch, const Start& start, Index steps);
/// √E‖x − x*‖² in the limit of an inconsistent problem; infinite if unstable.
double horizon(const Model& model, Method method, const Parameters& p, double batch,
               double residual_norm);

// ---- Certificates ---------------------------------------------------------------

/// q < 1 certifies that heavy ball is stable, for any A and any p. Needs only upper bounds of
/// lambda_max and of the energy, not lambda_min.
double stability_number(const Parameters& p, double lambda_max, double energy, double batch);

/// Heavy ball on a consistent problem: E‖x − x*‖² ≤ this·‖x_0 − x*‖² after `steps`
/// steps, for a given rate r (infinite where r is not certified), or for the best r if none is
/// given. The model needs all eigenvalues.
double certified_mean_square(const Model& worst_case, const Parameters& p, double batch,
                             Index steps, std::optional<double> r = {});

/// An upper bound of √E‖x − x*‖² in the limit, for any A. residual_energy = Σ p_i⁻¹ r_i²‖a_i‖²,
/// or its bound eta·‖A‖_F²·‖r‖² (here eta_H may not replace eta). At every step
/// the root mean square error is at most that of the consistent problem plus this bound.
double certified_horizon(const Model& worst_case, Method method, const Parameters& p, double batch,
                         double residual_energy);

// ---- Tuning -----------------------------------------------------------------------

/// Parameters of heavy ball for a batch, in closed form; stable for every A if lambda_max and
/// the energy are upper bounds (q ≤ 0.913). constant = 0.5 is safer (q ≤ 0.707), and faster for
/// ill-conditioned data with small batches.
Parameters recipe(double lambda_min, double lambda_max, double energy, double batch,
                  double constant = 0.3);

/// The recipe for estimated numbers: lambda_min is clamped to [1e-12, 1]·lambda_max, and alpha
/// is halved until q ≤ 0.92.
struct SafeRecipe {
  Parameters parameters;
  double stability_number = 0.0;
  int halvings = 0;
};
SafeRecipe safe_recipe(double lambda_min, double lambda_max, double energy, double batch,
                       double constant = 0.3);

struct Tuned {
  Parameters parameters;
  double rate = 0.0;
  double batch = 0.0;
};
/// The parameters with the best rate for a batch, according to the model.
Tuned tune(const Model& model, Method method, double batch);
/// The smallest batch that reaches a rate, and its parameters; empty if no parameters were
/// found that reach the rate with exact gradients.
std::optional<Tuned> smallest_batch(const Model& model, Method method, double rate);

}  // namespace polyak::theory
#pragma GCC visibility pop
