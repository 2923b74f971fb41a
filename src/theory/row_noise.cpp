#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "polyak/theory.hpp"

namespace polyak::theory {
namespace {

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

// Two products of n·d² and a copy of the rows.
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
