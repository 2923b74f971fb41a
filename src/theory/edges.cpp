#include "theory/edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "theory/blocks.hpp"

namespace polyak::theory {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_2d(const MatrixNumbers& numbers) {
  return std::log(2.0 * static_cast<double>(numbers.cols));
}

}  // namespace

Edges edges(const Parameters& p, double lmin, double lmax) {
  const double D = std::min(discriminant(p, lmin), discriminant(p, lmax));
  return {4.0 * p.beta() - D, D};
}

Edges edges_of_gamma(const Parameters& p, double lmin, double lmax, double gamma) {
  const double g = gamma * lmin;
  const double half_width = 0.5 * p.alpha * (lmax - lmin);
  return {half_width * half_width, (p.alpha * g) * (p.alpha * (g + (lmax - lmin)))};
}

double condition_number(const Parameters& p, const Edges& edges) {
  if (edges.discriminant <= 0.0) return infinity;
  const double c = one_minus_beta(p);
  return (1.0 + p.beta() + std::sqrt(c * c + edges.tau2)) / std::sqrt(edges.discriminant);
}

double condition_number(const Parameters& p, double lmin, double lmax) {
  return condition_number(p, edges(p, lmin, lmax));
}

double vector_batch(const MatrixNumbers& numbers, const Parameters& p, const Edges& edges,
                    double r) {
  const double above = ((r - 1.0) + p.gap) * (r + p.root);  // r² − beta
  if (edges.discriminant <= 0.0 || above <= 0.0) return infinity;
  return 4.0 * p.beta() * (p.alpha * numbers.energy()) * (p.alpha * numbers.lambda_max) /
         (edges.discriminant * above);
}

double vector_batch(const MatrixNumbers& numbers, const Parameters& p, double r) {
  return vector_batch(numbers, p, edges(p, numbers.lambda_min, numbers.lambda_max), r);
}

// Paper, lemma (thm:sqnormbd).
double matrix_lemma_batch(const MatrixNumbers& numbers, double delta) {
  const double F2 = numbers.frobenius2;
  return 8.0 * std::numbers::e * numbers.eta * log_2d(numbers) *
         std::max((F2 / delta) * (numbers.lambda_max / delta), 2.0 * F2 / delta);
}

double theorem_batch(const MatrixNumbers& numbers, const Parameters& p, double M, double theta,
                     double factor) {
  if (std::isinf(M) || p.root <= 0.0) return infinity;
  const double f = factor * M * M / (p.beta() * theta);
  const double aF2 = p.alpha * numbers.frobenius2;
  return 16.0 * std::numbers::e * numbers.eta * log_2d(numbers) *
         std::max(aF2 * (p.alpha * numbers.lambda_max) * f, aF2 * std::sqrt(2.0 * f));
}

double heuristic_step(const MatrixNumbers& numbers, double batch, double beta) {
  if (beta <= 0.0) return 0.0;
  const double scale = 16.0 * std::numbers::e * numbers.eta * log_2d(numbers);
  return std::sqrt(batch * beta * -std::log(beta) / scale) /
         (std::sqrt(numbers.frobenius2) * std::sqrt(numbers.lambda_max));
}

}  // namespace polyak::theory
