#pragma once

/// \file theory.hpp
/// What theory says before anything is run: how large a batch must be, how fast
/// Minibatch-HBM and Minibatch-NAG then converge, and which step size and
/// momentum suit the batch one can afford. Pure functions of numbers.
///
/// Throughout, H = AᵀA has eigenvalues between lambda_min > 0 (the smallest
/// nonzero one) and lambda_max, kappa is their ratio, and p_i are the sampling
/// probabilities of the rows, drawn with replacement. "Rate" means r with
/// E‖x_k − x*‖² = O(r^2k). Where theory says infinite, so does the function;
/// where it says nothing, the answer is an empty optional. Arguments that make
/// no sense are an Error usage. Three words are kept apart: *certified* is
/// proved for every A, *exact* holds for the given A up to rounding, and a
/// *model* is neither.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::theory {

enum class Method { heavy_ball, nesterov };

/// Step size and momentum. √beta is kept together with 1 − √beta, because near
/// 1 all that matters is in the difference.
struct Parameters {
  double alpha = 0.0;
  double root = 0.0;  ///< √beta
  double gap = 1.0;   ///< 1 − √beta

  double beta() const { return root * root; }
  static Parameters of(double alpha, double beta);
  static Parameters with_gap(double alpha, double gap) { return {alpha, 1.0 - gap, gap}; }
};

/// What the closed forms need to know of A.
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

/// The rate with exact gradients, rho(T): no batch converges faster.
double contraction(Method method, const Parameters& p, double lambda_min, double lambda_max);

/// The paper's bounds need (1 − √beta)²/lambda_min < alpha < (1 + √beta)²/lambda_max.
bool admissible(const Parameters& p, double lambda_min, double lambda_max);
/// Throws Error usage with that region in numbers.
void check_admissible(const Parameters& p, double lambda_min, double lambda_max);

// ---- Closed forms of the paper, corrected ------------------------------------

/// M(alpha, beta), the condition number of the eigenvectors of T, exactly;
/// infinite where T is defective or has real eigenvalues.
double condition_number(const Parameters& p, double lambda_min, double lambda_max);

/// Heavy ball with exact gradients: factors of ‖x_0 − x*‖ that bound the error
/// after `steps` steps. The paper's, √2·M·√beta^k, and a sharper one that stays
/// finite at the optimal parameters.
double heavy_ball_bound(double M, const Parameters& p, Index steps);
double heavy_ball_sharp_bound(const Parameters& p, double lambda_min, double lambda_max,
                              Index steps);

/// The batch with which the matrix lemma gives √E‖W‖² ≤ delta.
double matrix_lemma_batch(const MatrixNumbers& numbers, double delta);

/// k* with k*/log k* = √kappa; there is none for kappa < e².
std::optional<double> k_star(double kappa);
/// theta = log k*/k*, through which alone k* matters; k* > 1.
double theta_of(double k_star);

/// The paper's theorem for Minibatch-HBM at the parameters of gamma.
struct HeavyBallTheory {
  Parameters optimal;     ///< of gamma = 0
  Parameters parameters;  ///< of this gamma
  double M = 0.0;         ///< infinite for gamma = 0
  double M_bound = 0.0;   ///< the lemma's
  /// B*; a scale, no bound. Absent below kappa = 2, where it means nothing.
  std::optional<double> batch_heuristic;
  std::optional<double> k_star;
  double theta = 0.0;
  double delta = 0.0;                ///< the rate is √beta^(1 − delta)
  double rate_theorem = 0.0;         ///< may be 1 or more: then it promises nothing
  double batch_theorem = 0.0;        ///< with the exact M and log 2d
  double batch_theorem_bound = 0.0;  ///< with the lemma's M
  double batch_vector = 0.0;         ///< certified for the same rate, without the log
  double batch_certified_stability = 0.0;
};
/// Without k_star, theta = 1/√kappa.
HeavyBallTheory heavy_ball_theory(const MatrixNumbers& numbers, double gamma,
                                  std::optional<double> k_star = {});

/// The same for Minibatch-NAG; M is infinite without gamma.
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
/// E‖x_{k+1} − x*‖² + E‖x_k − x*‖² ≤ 2M²r^2k ‖x_0 − x*‖². eta_eff may stand for eta here.
double vector_batch(const MatrixNumbers& numbers, const Parameters& p, double r);

/// The corollary B ≥ C·eta·d·log(2d)·kappa_bar·√kappa for the rate 1 − c/√kappa:
/// its C(c) for large kappa, 0 < c < 2.
double corollary_constant(double c);
/// The best gamma for the rate 1 − 1/√kappa, through the theorem and through
/// vector_batch (no logarithm there).
struct CorollaryChoice {
  double gamma = 0.0, M = 0.0, constant = 0.0;
};
CorollaryChoice best_corollary(double kappa);
CorollaryChoice best_vector_corollary(double kappa);

/// The radius in which an inconsistent problem keeps the iterates, as the paper
/// bounds it: 1e5 times the truth; see horizon and certified_horizon.
struct PaperHorizon {
  double printed = 0.0;
  double corrected = 0.0;  ///< with 2d + 1, as its proof gives
  double no_log = 0.0;     ///< that without the Bernstein step
  /// False where the hypothesis on the batch fails: the numbers then say nothing.
  bool applicable = false;
};
/// sigma = max |r_i|/‖a_i‖.
PaperHorizon paper_horizon(const MatrixNumbers& numbers, const HeavyBallTheory& theory,
                           double batch, double residual_norm, double sigma);

/// The paper's table: iterations, and row products in each, for constant
/// accuracy with constants suppressed.
struct TableRow {
  std::string method;
  double iterations = 0.0;
  double rows_per_iteration = 0.0;
};
/// `nu` of the corrected ARK, where known (d ≤ nu).
std::vector<TableRow> iteration_table(const MatrixNumbers& numbers, Index rows,
                                      std::optional<double> nu = {});

// ---- Models of the noise, and what follows from any of them ------------------

/// For a symmetric P and a vector m in the space of x:
///   out = Σ_i p_i⁻¹ (a_iᵀPa_i + 2 r_i a_iᵀm + r_i²) a_i a_iᵀ,   r = Ax* − b;
/// with m empty the same for r = 0. With a ridge g = Aᵀr is not zero, and
/// Hm·gᵀ + g·(Hm)ᵀ + g·gᵀ is to be subtracted.
using RowNoise = std::function<void(ConstView P, std::span<const double> m, View out)>;
/// RowNoise of rows in memory, which must outlive it; both triangles of P are read.
RowNoise noise_of_rows(ConstView rows, std::span<const double> probabilities,
                       std::span<const double> residual = {});

class Impulse;

/// How sampling feeds the error back into itself. Made by the functions below.
struct Model {
  std::string name;
  bool certified = false;           ///< what follows holds for every A it was made for
  bool ends_only = false;           ///< the two eigenvalues are bounds of the spectrum
  std::vector<double> eigenvalues;  ///< of AᵀA; the ridge is apart
  double ridge = 0.0;               ///< added to them by exact gradients
  double energy = 0.0;              ///< eta·‖A‖_F² or eta_H·‖A‖_F², for the recipe
  /// B(r)/alpha²; the hint goes from one evaluation to the next.
  std::function<double(const Model&, const Impulse&, std::vector<double>& hint)> growth;
  /// How many times d numbers hold an error covariance E ee' in the eigenbasis:
  /// 1 for its diagonal, d for all of it, 0 where the model has no trajectories.
  Index width = 0;
  /// out = the covariance that one step adds to X, times B/alpha², when the
  /// error has the mean m and the residual at x* the squared norm residual2 (an
  /// exact model has its own r, and heeds only whether this is zero).
  std::function<void(std::span<const double> X, std::span<const double> m, double residual2,
                     std::span<double> out)>
      noise;
};

/// Certified for any A with these eigenvalues; sharp for row-norm sampling.
/// `energy` is eta·‖A‖_F² or an upper bound; a lower bound of the true lambda_max
/// or energy is fatal.
Model worst_case_model(std::vector<double> eigenvalues, double energy);
/// The same from bounds of the spectrum: certified for rates up to 1, for heavy
/// ball (for NAG the same was found numerically).
Model worst_case_model(double lambda_min, double lambda_max, double energy);
/// Certified and sharper: S = Σ p_i⁻¹‖a_i‖² a_i a_iᵀ in the eigenbasis, d × d.
Model spread_model(std::vector<double> eigenvalues, std::vector<double> S);
/// lambda_max(H^-1/2 S H^-1/2) = eta_H·‖A‖_F², which may stand for eta·‖A‖_F² in
/// the recipe, stability_number and the worst-case model.
double spread_energy(std::span<const double> eigenvalues, std::span<const double> S);
/// K_ij = Σ_l p_l⁻¹ (v_iᵀa_l)² (v_jᵀa_l)², d × d; optimistic. residual_noise_j =
/// Σ_l p_l⁻¹ r_l² (v_jᵀa_l)²/‖r‖² where a horizon is wanted.
Model diag_model(std::vector<double> eigenvalues, const std::vector<double>& K,
                 std::vector<double> residual_noise = {});
/// Haar or Gaussian rows, uniform sampling; rows = 0 stands for infinitely many.
Model gaussian_uniform_model(std::vector<double> eigenvalues, Index rows = 0);
/// Gaussian rows, row-norm sampling.
Model gaussian_row_norm_model(std::vector<double> eigenvalues);
/// Exact for the given A. Row j of `eigenvectors` belongs to eigenvalues[j]. Calls
/// the noise once here, and some tens of times for each batch or rate.
Model exact_model(std::vector<double> eigenvalues, std::vector<double> eigenvectors,
                  RowNoise noise);

/// The batch whose rate is r; infinite for r ≤ contraction(…). Decreasing in r.
double batch_for_rate(const Model& model, Method method, const Parameters& p, double r);
/// The batch above which iterates stay bounded: that of r = 1.
double stability_threshold(const Model& model, Method method, const Parameters& p);
/// The rate of a batch; above 1 it diverges. Infinite where a model that knows
/// only the ends of the spectrum promises nothing.
double rate_for_batch(const Model& model, Method method, const Parameters& p, double batch);
/// Exact models only: never below batch_for_rate in exact arithmetic, and may
/// therefore be called certified.
double upper_batch_for_rate(const Model& model, Method method, const Parameters& p, double r);

/// Where a run starts: v_jᵀ(x_0 − x*), or nothing for an average over all
/// directions with E‖x_0 − x*‖² = 1; and the size of r, for an exact model only
/// whether it is zero.
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

/// q < 1 certifies that heavy ball is stable, for any A and p. Needs only upper
/// bounds of lambda_max and the energy, and no lambda_min.
double stability_number(const Parameters& p, double lambda_max, double energy, double batch);

/// Heavy ball on a consistent problem: E‖x − x*‖² ≤ this·‖x_0 − x*‖² after `steps`
/// steps, for a chosen rate r (infinite where r is not certified) or, without
/// one, for the best r. All eigenvalues are needed.
double certified_mean_square(const Model& worst_case, const Parameters& p, double batch,
                             Index steps, std::optional<double> r = {});

/// √E‖x − x*‖² ≤ this in the limit, for any A. residual_energy = Σ p_i⁻¹ r_i²‖a_i‖²,
/// or its bound eta·‖A‖_F²·‖r‖² (eta_H may not stand for eta in that one). At every
/// step the root mean square is at most that of the consistent problem plus this.
double certified_horizon(const Model& worst_case, Method method, const Parameters& p, double batch,
                         double residual_energy);

// ---- Tuning -----------------------------------------------------------------------

/// Heavy ball's parameters for a batch, in closed form; stable for every A when
/// lambda_max and the energy are upper bounds (q ≤ 0.913). constant = 0.5 is safer
/// and, on bad data with small batches, faster: q ≤ 0.707.
Parameters recipe(double lambda_min, double lambda_max, double energy, double batch,
                  double constant = 0.3);

/// The recipe for estimated numbers: lambda_min is clipped to [1e-12, 1]·lambda_max,
/// and alpha halved until q ≤ 0.92.
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
/// The parameters with the best rate for a batch, under a model.
Tuned tune(const Model& model, Method method, double batch);
/// The smallest batch that reaches a rate with parameters chosen for it; none
/// if no parameters were found that do even with exact gradients.
std::optional<Tuned> smallest_batch(const Model& model, Method method, double rate);

}  // namespace polyak::theory
#pragma GCC visibility pop
