#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "theory/impulse.hpp"
#include "theory/models.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory {
using namespace polyak::internal;
using namespace polyak::theory::internal;

namespace {

using Vector = std::vector<double>;

// The root B > max w_j of Σ_j f·g_j/(B − w_j) = 1, the largest eigenvalue of
// f·√g√gᵀ + diag(w), w_j = h·g_j. It lies between max(w) + f·max(g) and max(w) + f·Σg.
double secular_root(const Vector& g, double f, double h) {
  const double largest = *std::max_element(g.begin(), g.end());
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  const auto rest = [&](double above) {  // above = B − h·max g
    double total = 0.0;
    for (const double v : g) total += f * v / (above + h * (largest - v));
    return total - 1.0;
  };
  if (!(sum > 0.0)) return 0.0;
  const double low = 0.5 * f * largest, high = f * sum * (1.0 + 1e-12);
  return h * largest + falling_zero(rest, {low, rest(low)}, {high, rest(high)}, 1e-16 * sum);
}

// With z Gaussian, E z_i²z_j²…/Σ l·z² = ∫ Π(1 + 2t·l_m)^−1/2 … dt: the K and the
// residual noise for row-norm sampling (docs/theory, 4.3). As functions of w = log(t‖A‖_F²) the
// integrands decay like e^w and e^(−w·d/2) and are analytic for |Im w| < pi, so that the
// trapezoidal rule with step 1/4 has an error near exp(−4pi²).
class RowNormMoments {
 public:
  Vector K, residual;

  explicit RowNormMoments(const Vector& l)
      : residual(l.size(), 0.0), l_(l), F2_(std::accumulate(l.begin(), l.end(), 0.0)) {
    const Index d = std::ssize(l), count = node_count();
    Buffer factors(count, d), gram(d, d);
    for (Index k = 0; k < count; ++k)
      add_node(first_ + step_ * static_cast<double>(k), factors.view().row(k));
    add_gram(factors.view(), gram.view());
    copy_upper_to_lower(gram.view());
    K.assign(gram.data(), gram.data() + d * d);
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j)
        K[to_size(i * d + j)] *= F2_ * l[to_size(i)] * l[to_size(j)] * (i == j ? 3.0 : 1.0);
    }
  }

 private:
  Index node_count() const {
    const double lmin = *std::min_element(l_.begin(), l_.end());
    const double last = std::log(F2_ / lmin) + 80.0 / static_cast<double>(l_.size()) + 2.0;
    return static_cast<Index>((last - first_) / step_) + 1;
  }

  // Factors √weight/(1 + 2t·l_j): the Gram matrix of all nodes is the integral.
  void add_node(double w, double* factors) {
    const double t = std::exp(w) / F2_;
    double log_product = 0.0;
    for (const double v : l_) log_product += std::log1p(2.0 * t * v);
    const double weight = step_ * t * std::exp(-0.5 * log_product);
    for (std::size_t j = 0; j < l_.size(); ++j) {
      const double factor = 1.0 / (1.0 + 2.0 * t * l_[j]);
      factors[j] = std::sqrt(weight) * factor;
      residual[j] += weight * factor * F2_ * l_[j];
    }
  }

  static constexpr double first_ = -42.0, step_ = 0.25;
  const Vector& l_;
  double F2_;
};

}  // namespace

// K = f(l·lᵀ + 2diag(l²)) with f = n/(n + 2), exactly for Haar columns; the
// residual adds ‖r‖²·l_j, and S = f(‖A‖_F²·H + 2H²) gives eta_H·‖A‖_F².
Model gaussian_uniform_model(Vector eigenvalues, Index rows) {
  Model model = named_model("gaussian-uniform", std::move(eigenvalues));
  const double n = static_cast<double>(rows);
  const double f = rows > 0 ? n / (n + 2.0) : 1.0, h = rows > 0 ? (n - 2.0) / (n + 2.0) : 1.0;
  const Vector l = model.eigenvalues;
  model.energy = f * (model.energy + 2.0 * *std::max_element(l.begin(), l.end()));
  use_diagonal_noise(
      model,
      [l, f, h](std::span<const double> q, std::span<double> out) {
        const double all = std::inner_product(l.begin(), l.end(), q.begin(), 0.0);
        for (std::size_t j = 0; j < l.size(); ++j) out[j] = l[j] * (f * all + h * l[j] * q[j]);
      },
      l);
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
