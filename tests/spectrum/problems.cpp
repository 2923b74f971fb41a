#include "problems.hpp"

#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

Matrix with_spectrum(Index rows, const Vector& squared, Index cols, std::uint64_t seed) {
  return orthonormal(rows, squared.size(), seed) * squared.cwiseSqrt().asDiagonal() *
         orthonormal(cols, squared.size(), seed + 1).transpose();
}

Vector squared_singular_values(const Matrix& A) {
  Vector out = Vector::Zero(A.cols());
  const Vector s = singular_values(A);
  for (Index i = 0; i < s.size(); ++i) out(A.cols() - 1 - i) = s(i) * s(i);
  return out;
}

}  // namespace polyak::test
