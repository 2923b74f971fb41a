#pragma once

// Small problems out of Eigen matrices.

#include <cstring>
#include <span>
#include <string>

#include "linalg/eigen_views.hpp"
#include "matrix/storages.hpp"
#include "polyak/problem.hpp"
#include "spectrum/facts.hpp"
#include "support/problems.hpp"

namespace polyak::test {

inline std::vector<double> numbers(const Vector& v) { return {v.data(), v.data() + v.size()}; }

inline Problem dense_problem(const Matrix& A, const Matrix& b, const Vector& weights = {}) {
  ProblemData data;
  data.A = dense_matrix(values<double>(A), A.rows(), A.cols());
  data.b = array(b);
  data.weights = numbers(weights);
  return Problem(std::move(data));
}

inline Problem sparse_problem(const Matrix& A, const Matrix& b, const Vector& weights = {}) {
  ProblemData data;
  data.A = csr_matrix(compressed<double, std::int32_t>(A));
  data.b = array(b);
  data.weights = numbers(weights);
  return Problem(std::move(data));
}

/// b = 0, for what does not depend on it.
inline Problem dense_problem(const Matrix& A) {
  return dense_problem(A, Matrix::Zero(A.rows(), 1));
}

/// Known squared singular values: A = U·diag(√values)·Vᵀ.
Matrix with_spectrum(Index rows, const Vector& squared, Index cols, std::uint64_t seed);

/// √W·A.
inline Matrix weighted(const Matrix& A, const Vector& w) { return w.cwiseSqrt().asDiagonal() * A; }

/// Eigenvalues of AᵀA, ascending, from Eigen's singular values: cols of them.
Vector squared_singular_values(const Matrix& A);

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace polyak::test
