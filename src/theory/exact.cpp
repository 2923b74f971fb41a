#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "linalg/factor.hpp"
#include "linalg/svd.hpp"
#include "polyak/error.hpp"
#include "polyak/theory.hpp"
#include "theory/impulse.hpp"
#include "theory/models.hpp"

namespace polyak::theory {
using namespace polyak::internal;
using namespace polyak::theory::internal;

namespace {

using Vector = std::vector<double>;

ConstView square(std::span<const double> X, Index d) { return {X.data(), d, d, d}; }
View square(std::span<double> X, Index d) { return {X.data(), d, d, d}; }

void symmetrise(View X) {
  for (Index i = 0; i < X.rows; ++i) {
    for (Index j = 0; j < i; ++j) X(i, j) = X(j, i) = 0.5 * (X(i, j) + X(j, i));
  }
}

// N(P) in the eigenbasis: P is transformed to the space of x, where RowNoise works, and back.
class RotatedNoise {
 public:
  RotatedNoise(Vector eigenvalues, Vector eigenvectors, RowNoise noise)
      : l_(std::move(eigenvalues)), V_(std::move(eigenvectors)), noise_(std::move(noise)) {}

  void operator()(std::span<const double> X, std::span<const double> m, double residual2,
                  std::span<double> out) const {
    const Index k = std::ssize(l_), d = std::ssize(V_) / k;
    const ConstView V{V_.data(), k, d, d};
    Buffer half(k, d), P(d, d), sum(d, d);
    gemm(1.0, square(X, k), Transpose::no, V, Transpose::no, 0.0, half.view());
    gemm(1.0, V, Transpose::yes, half.view(), Transpose::no, 0.0, P.view());
    noise_(P.view(), residual2 == 0.0 ? Vector{} : mean(V, m), sum.view());
    gemm(1.0, V, Transpose::no, sum.view(), Transpose::no, 0.0, half.view());
    gemm(1.0, half.view(), Transpose::no, V, Transpose::yes, 0.0, square(out, k));
    subtract_square(square(X, k), square(out, k));
    symmetrise(square(out, k));
  }

 private:
  static Vector mean(ConstView V, std::span<const double> m) {
    Vector out(to_size(V.cols), 0.0);
    for (Index j = 0; j < std::ssize(m); ++j) {
      for (Index i = 0; i < V.cols; ++i) out[to_size(i)] += V(j, i) * m[to_size(j)];
    }
    return out;
  }

  void subtract_square(ConstView X, View out) const {  // H·X·H
    for (Index i = 0; i < X.rows; ++i) {
      for (Index j = 0; j < X.cols; ++j) out(i, j) -= l_[to_size(i)] * X(i, j) * l_[to_size(j)];
    }
  }

  Vector l_, V_;
  RowNoise noise_;
};

// S = N(I) + H² in the eigenbasis.
Vector spread(const Model& model) {
  const auto d = model.eigenvalues.size();
  Vector identity(d * d, 0.0), S(d * d);
  for (std::size_t j = 0; j < d; ++j) identity[j * (d + 1)] = 1.0;
  model.noise(identity, {}, 0.0, S);
  for (std::size_t j = 0; j < d; ++j) S[j * (d + 1)] += model.eigenvalues[j] * model.eigenvalues[j];
  return S;
}

// The largest eigenvalue of the pencil (N, X), X positive definite; infinite if X is not.
double generalised_largest(Vector N, Vector X, Index d) {
  Vector values(to_size(d));
  if (!cholesky(square(std::span(X), d))) return std::numeric_limits<double>::infinity();
  solve_right(square(std::span(X), d), square(std::span(N), d));
  solve_left(square(std::span(X), d), square(std::span(N), d), Transpose::yes);
  symmetrise(square(std::span(N), d));
  if (!symmetric_eigenvalues(square(std::span(N), d), values))
    return std::numeric_limits<double>::infinity();
  return values.back();
}

// lmax(N(Gam o X), X) with X = Z + shift·I.
double upper_growth(const Model& model, const Vector& roots, Vector X, double shift) {
  const Index d = model.width;
  for (Index j = 0; j < d; ++j) X[to_size(j * d + j)] += shift;
  Vector product(X.size()), image(X.size());
  for (std::size_t k = 0; k < X.size(); ++k) product[k] = roots[k] * roots[k] * X[k];
  model.noise(product, {}, 0.0, image);
  return generalised_largest(std::move(image), std::move(X), d);
}

using Vector = std::vector<double>;

Vector product(ConstView A, std::span<const double> v) {
  Vector out(to_size(A.rows));
  for (Index i = 0; i < A.rows; ++i)
    out[to_size(i)] = std::inner_product(v.begin(), v.end(), A.row(i), 0.0);
  return out;
}
Vector transposed_product(ConstView A, std::span<const double> v) {
  Vector out(to_size(A.cols), 0.0);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index j = 0; j < A.cols; ++j) out[to_size(j)] += v[to_size(i)] * A(i, j);
  }
  return out;
}

// out −= h·gᵀ + g·hᵀ + g·gᵀ.
void subtract_mean(const Vector& h, const Vector& g, View out) {
  for (Index i = 0; i < out.rows; ++i) {
    for (Index j = 0; j < out.cols; ++j) {
      const std::size_t a = to_size(i), b = to_size(j);
      out(i, j) -= h[a] * g[b] + g[a] * h[b] + g[a] * g[b];
    }
  }
}

}  // namespace

Model exact_model(Vector eigenvalues, Vector eigenvectors, RowNoise noise) {
  Model model = named_model("exact", std::move(eigenvalues));
  if (eigenvectors.empty() || eigenvectors.size() % model.eigenvalues.size() != 0)
    throw Error(ErrorCode::usage, {.what = "there must be one eigenvector per eigenvalue"});
  model.width = std::ssize(model.eigenvalues);
  model.noise = RotatedNoise(model.eigenvalues, std::move(eigenvectors), std::move(noise));
  model.growth = leading_growth;
  model.energy = spread_energy(model.eigenvalues, spread(model));
  return model;
}

// Z = D^−1/2·Y for the leading eigenvector Y of D^1/2·N·D^1/2 solves N(Gam o Z) = value·Z. Every
// positive definite X near Z gives an upper bound; the best of several is taken.
double upper_batch_for_rate(const Model& model, Method method, const Parameters& p, double r) {
  const Impulse impulse(method, p, model.eigenvalues, model.ridge, r);
  if (!impulse.exists() || model.name != "exact") return std::numeric_limits<double>::infinity();
  Vector Z;
  leading_growth(model, impulse, Z);
  const Vector roots = gain_roots(impulse, model.width);
  double trace = 0.0;
  for (std::size_t k = 0; k < Z.size(); ++k) Z[k] /= roots[k];
  for (Index j = 0; j < model.width; ++j) trace += Z[to_size(j * (model.width + 1))];
  for (double& v : Z) v /= trace;
  double best = std::numeric_limits<double>::infinity();
  for (const double shift : {0.0, 1e-10, 1e-7, 1e-4, 1e-1, 1e3})
    best = std::min(best, upper_growth(model, roots, Z, shift));
  return p.alpha * p.alpha * std::max(0.0, best);
}

// Two products of n·d² operations each, and memory for a copy of the rows.
RowNoise noise_of_rows(ConstView A, std::span<const double> probabilities,
                       std::span<const double> residual) {
  Vector p(probabilities.begin(), probabilities.end()), r(residual.begin(), residual.end());
  Vector g = r.empty() ? Vector{} : transposed_product(A, r);
  return [=](ConstView P, std::span<const double> m, View out) {
    const bool inconsistent = !m.empty() && !r.empty();
    const Vector image = inconsistent ? product(A, m) : Vector{};
    Buffer rows(A.rows, A.cols);
    gemm(1.0, A, Transpose::no, P, Transpose::no, 0.0, rows.view());
    for (Index i = 0; i < A.rows; ++i) {
      const std::size_t k = to_size(i);
      double weight = std::inner_product(A.row(i), A.row(i) + A.cols, rows.view().row(i), 0.0);
      if (inconsistent) weight += r[k] * (2.0 * image[k] + r[k]);
      const double scale = p[k] > 0.0 ? weight / p[k] : 0.0;
      for (Index j = 0; j < A.cols; ++j) rows.view()(i, j) = scale * A(i, j);
    }
    gemm(1.0, A, Transpose::yes, rows.view(), Transpose::no, 0.0, out);
    if (inconsistent) subtract_mean(transposed_product(A, image), g, out);
  };
}

}  // namespace polyak::theory
