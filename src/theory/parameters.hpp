#pragma once

// The paper's parameters as plain pairs (alpha, beta), as the methods use them;
// theory::Parameters of polyak/theory.hpp also keeps 1 − √beta without cancellation.

#include "polyak/theory.hpp"

namespace polyak::theory::internal {

struct StepAndMomentum {
  double step_size;
  double momentum;
};

/// Heavy ball on [lmin, lmax] widened by gamma·lmin at both ends:
/// alpha = 4/(√L + √l)², √beta = (√L − √l)/(√L + √l).
StepAndMomentum heavy_ball(double lmin, double lmax, double gamma);

/// Nesterov's constant choice on the same widened interval:
/// alpha = 1/L, beta = (√(L/l) − 1)/(√(L/l) + 1).
StepAndMomentum nesterov(double lmin, double lmax, double gamma);

/// Gradient descent's best constant step, 2/(lmin + lmax).
double gradient_descent_step(double lmin, double lmax);

/// Minibatch SGD: 1/(lmax(1 − 1/B) + eta·‖A‖_F²/B), which is Kaczmarz's
/// 1/‖A‖_F² at B = 1 and gradient descent's 1/lmax for large B.
double minibatch_sgd_step(double lmax, double frobenius2, double eta, double batch);

/// The rate with exact gradients: the larger spectral radius of the 2 × 2 blocks of (HBM) at
/// the two ends of the spectrum.
double heavy_ball_rate(double alpha, double beta, double lmin, double lmax);
/// The same for (NAG).
double nesterov_rate(double alpha, double beta, double lmin, double lmax);

/// The heuristic B* of the paper's section 4 with the eta it drops (errata E8):
/// 16e·eta·‖A‖_F²·lmax·log(2d)·alpha²/(beta·log(1/beta)). Infinite at beta = 0.
double heuristic_batch(double frobenius2, double lmax, Index d, double eta, double alpha,
                       double beta);

}  // namespace polyak::theory::internal
