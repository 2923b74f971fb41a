#pragma once

// Eigen as the oracle: the same memory seen through both libraries, and random
// matrices to feed them.

#include <Eigen/Dense>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "polyak/types.hpp"

namespace polyak::test {
using namespace polyak::internal;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr double eps = std::numeric_limits<double>::epsilon();

inline View view(Matrix& m) { return {m.data(), m.rows(), m.cols(), m.cols()}; }
inline ConstView view(const Matrix& m) { return {m.data(), m.rows(), m.cols(), m.cols()}; }
inline ConstView view(const Vector& v) { return {v.data(), v.size(), 1, 1}; }

inline Matrix matrix(ConstView v) {
  Matrix m(v.rows, v.cols);
  for (Index i = 0; i < v.rows; ++i) {
    for (Index j = 0; j < v.cols; ++j) m(i, j) = v(i, j);
  }
  return m;
}

/// iid N(0, 1), another matrix for each seed.
inline Matrix normal(Index rows, Index cols, std::uint64_t seed) {
  Matrix m(rows, cols);
  Random(seed, 0).normals(0, static_cast<std::uint64_t>(rows * cols), m.data());
  return m;
}

/// Orthonormal columns: Gram and Schmidt, twice, which is enough.
inline Matrix orthonormal(Index rows, Index cols, std::uint64_t seed) {
  Matrix Q = normal(rows, cols, seed);
  for (Index j = 0; j < cols; ++j) {
    for (int round = 0; round < 2; ++round) {
      for (Index k = 0; k < j; ++k) Q.col(j) -= Q.col(k).dot(Q.col(j)) * Q.col(k);
    }
    Q.col(j) /= Q.col(j).norm();
  }
  return Q;
}

/// What rounding may do to a sum of `terms` products, times the size of the
/// result: c·terms·eps·scale with c = 4 for a handful of such sums in a row.
inline double rounding(Index terms, double scale) {
  return 4.0 * static_cast<double>(terms) * eps * scale;
}

}  // namespace polyak::test
