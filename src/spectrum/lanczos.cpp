#include "spectrum/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "spectrum/gram.hpp"

namespace polyak {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(double c, const Vector& v, Vector& w) {
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= c * v[j];
}

double normalise(Vector& v) {
  const double norm = std::sqrt(dot(v, v));
  if (norm > 0.0)
    for (double& x : v) x /= norm;
  return norm;
}

Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& off) {
  const Index m = std::ssize(diagonal);
  Vector T(to_size(m * m), 0.0);
  for (Index i = 0; i < m; ++i) {
    T[to_size(i * m + i)] = diagonal[to_size(i)];
    if (i + 1 < m) T[to_size(i * m + i + 1)] = T[to_size((i + 1) * m + i)] = off[to_size(i)];
  }
  return eigenvalues_of(std::move(T), m);
}

}  // namespace

RitzValues lanczos(Index d, Index steps, const Random& random,
                   const std::function<void(std::span<const double>, std::span<double>)>& apply) {
  std::vector<Vector> basis;
  Vector diagonal, off, v(to_size(d)), w(to_size(d));
  random.normals(0, static_cast<std::uint64_t>(d), v.data());
  normalise(v);
  bool exhausted = false;
  for (Index k = 0; k < std::min(d, steps); ++k) {
    basis.push_back(v);
    apply(v, w);
    diagonal.push_back(dot(v, w));
    // Twice is enough to keep the basis orthogonal to rounding.
    for (int round = 0; round < 2; ++round)
      for (const Vector& q : basis) subtract(dot(q, w), q, w);
    const double norm = normalise(w);
    const double largest = *std::max_element(diagonal.begin(), diagonal.end());
    exhausted = norm <= 1e-14 * largest || k + 1 == d;
    if (exhausted) break;
    off.push_back(norm);
    std::swap(v, w);
  }
  return {tridiagonal_eigenvalues(diagonal, off), exhausted};
}

}  // namespace polyak
