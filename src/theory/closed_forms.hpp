#pragma once

// Closed forms that depend on the two ends of the spectrum: M and the batches that follow from
// it.

#include "polyak/theory.hpp"

namespace polyak::theory::internal {

/// tau² with tau = max |t| over the two ends of the spectrum, and 4·beta − tau², which is not
/// positive where the transition matrix T is defective or has real eigenvalues.
struct Edges {
  double tau2 = 0.0;
  double discriminant = 0.0;
};
Edges edges(const Parameters& p, double lmin, double lmax);

/// The same for heavy_ball_parameters(lmin, lmax, gamma), where |t| is equal at both ends:
/// 4·beta − tau² = alpha²·g(g + lmax − lmin), g = gamma·lmin.
Edges edges_of_gamma(const Parameters& p, double lmin, double lmax, double gamma);

/// M = (1 + beta + √((1 − beta)² + tau²))/√(4·beta − tau²) (docs/theory, 1.2).
double condition_number(const Parameters& p, const Edges& edges);

/// B_vec(r) = 4·alpha²·beta·E·lmax/((4·beta − tau²)(r² − beta)).
double vector_batch(const MatrixNumbers& numbers, const Parameters& p, const Edges& edges,
                    double r);

/// The theorem's batch: 16e·eta·log(2d)·max{‖A‖_F²·lmax·f, √(2‖A‖_F⁴·f)} with
/// f = alpha²M²/(beta·theta); for NAG f has a factor 5.
double theorem_batch(const MatrixNumbers& numbers, const Parameters& p, double M, double theta,
                     double factor = 1.0);

/// theta = log k*/k*, or 1/√kappa without k*.
double theta_or_default(const MatrixNumbers& numbers, std::optional<double> k_star);

/// Throws Error usage unless gamma is in [0, 1).
void check_gamma(double gamma);

}  // namespace polyak::theory::internal
