#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "theory/diagonal.hpp"
#include "theory/impulse.hpp"
#include "theory/search.hpp"

namespace polyak::theory {
namespace {

using Vector = std::vector<double>;

// The root B > max w_j of Σ_j f·g_j/(B − w_j) = 1, the largest eigenvalue of
// f·√g√gᵀ + diag(w), w_j = h·g_j: between max(w) + f·min and max(w) + f·Σg.
double secular_root(const Vector& g, double f, double h) {
  const double most = *std::max_element(g.begin(), g.end());
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  const auto rest = [&](double above) {  // above = B − h·max g
    double total = 0.0;
    for (const double v : g) total += f * v / (above + h * (most - v));
    return total - 1.0;
  };
  if (!(sum > 0.0)) return 0.0;
  const double low = 0.5 * f * most, high = f * sum * (1.0 + 1e-12);
  return h * most + falling_zero(rest, {low, rest(low)}, {high, rest(high)}, 1e-16 * sum);
}

struct Quadrature {
  Vector nodes, weights;  // on (0, 1)
};

// Gauss and Legendre's rule: Newton on P_n from cos(pi(i + 3/4)/(n + 1/2)).
Quadrature gauss_legendre(int n) {
  Quadrature out;
  for (int i = 0; i < n; ++i) {
    double z = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int newton = 0; newton < 6; ++newton) {
      double p = 1.0, before = 0.0;
      for (int k = 0; k < n; ++k) {
        const double next = ((2.0 * k + 1.0) * z * p - k * before) / (k + 1.0);
        before = p, p = next;
      }
      slope = n * (z * p - before) / (z * z - 1.0);
      z -= p / slope;
    }
    out.nodes.push_back(0.5 * (1.0 - z));
    out.weights.push_back(1.0 / ((1.0 - z * z) * slope * slope));
  }
  return out;
}

constexpr int nodes = 400;

// With z Gaussian, E z_i²z_j²…/Σ l·z² = ∫ Π(1 + 2t·l_m)^−1/2 … dt, t = u/((1 − u)‖A‖_F²):
// the K and the residual noise of rows drawn by their norms (docs/theory, 4.3).
struct RowNormMoments {
  Vector K, residual;

  explicit RowNormMoments(const Vector& l) {
    const Index d = std::ssize(l);
    const double F2 = std::accumulate(l.begin(), l.end(), 0.0);
    const Quadrature rule = gauss_legendre(nodes);
    Buffer factors(nodes, d);
    residual.assign(l.size(), 0.0);
    for (Index k = 0; k < nodes; ++k) add_node(rule, k, F2, l, factors.view());
    Buffer gram(d, d);
    add_gram(factors.view(), gram.view());
    copy_upper_to_lower(gram.view());
    K.assign(gram.data(), gram.data() + d * d);
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j)
        K[to_size(i * d + j)] *= F2 * l[to_size(i)] * l[to_size(j)] * (i == j ? 3.0 : 1.0);
    }
  }

 private:
  // Row k of the factors: √weight/(1 + 2t·l_j), so that their Gram matrix is the
  // integral.
  void add_node(const Quadrature& rule, Index k, double F2, const Vector& l, View factors) {
    const double u = rule.nodes[to_size(k)], t = u / ((1.0 - u) * F2);
    double log_product = 0.0;
    for (const double v : l) log_product += std::log1p(2.0 * t * v);
    const double weight =
        rule.weights[to_size(k)] / ((1.0 - u) * (1.0 - u) * F2) * std::exp(-0.5 * log_product);
    for (std::size_t j = 0; j < l.size(); ++j) {
      const double factor = 1.0 / (1.0 + 2.0 * t * l[j]);
      factors.row(k)[j] = std::sqrt(weight) * factor;
      residual[j] += weight * factor * F2 * l[j];
    }
  }
};

}  // namespace

// K = f(l·lᵀ + 2diag(l²)) with f = n/(n + 2), exactly for Haar columns; the
// residual adds ‖r‖²·l_j.
Model gaussian_uniform_model(Vector eigenvalues, Index rows) {
  Model model = named_model("gaussian-uniform", std::move(eigenvalues));
  const double n = static_cast<double>(rows);
  const double f = rows > 0 ? n / (n + 2.0) : 1.0, h = rows > 0 ? (n - 2.0) / (n + 2.0) : 1.0;
  const Vector l = model.eigenvalues;
  use_diagonal_noise(model, [l, f, h](std::span<const double> q, std::span<double> out) {
    const double all = std::inner_product(l.begin(), l.end(), q.begin(), 0.0);
    for (std::size_t j = 0; j < l.size(); ++j) out[j] = l[j] * (f * all + h * l[j] * q[j]);
  }, l);
  model.growth = [l, f, h](const Model&, const Impulse& impulse, Vector&) {
    Vector g(l.size());
    for (std::size_t j = 0; j < g.size(); ++j)
      g[j] = l[j] * l[j] * impulse.gain(static_cast<Index>(j));
    return secular_root(g, f, h);
  };
  return model;
}

Model gaussian_row_norm_model(Vector eigenvalues) {
  RowNormMoments moments(eigenvalues);
  Model model = diag_model(std::move(eigenvalues), moments.K, std::move(moments.residual));
  model.name = "gaussian-row-norm";
  return model;
}

}  // namespace polyak::theory
