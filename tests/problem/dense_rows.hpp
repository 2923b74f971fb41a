#pragma once

// RowMatrix to Eigen and back, for tests.

#include <memory>
#include <vector>

#include "../linalg/eigen_views.hpp"
#include "polyak/matrices.hpp"

namespace polyak::test {

inline Matrix rows_of(const RowMatrix& A) {
  Matrix m(A.rows(), A.cols());
  A.copy_rows(0, A.rows(), view(m));
  return m;
}

inline MatrixPtr row_matrix(const Matrix& m) {
  return dense_matrix(std::vector<double>(m.data(), m.data() + m.size()), m.rows(), m.cols());
}

inline Vector vector(const Array& a) {
  return Eigen::Map<const Vector>(a.view().data, a.rows() * a.cols());
}

/// Tests of random numbers allow five standard deviations: a correct generator
/// fails such a comparison with probability 6e-7, and the seeds are fixed.
constexpr double five_sigma = 5.0;

}  // namespace polyak::test
