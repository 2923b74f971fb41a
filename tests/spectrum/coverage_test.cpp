// The error bars of a sketch: whether they hold as often as they say, and on what
// kinds of A.

#include "sketched.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr Index s = 8 * d;

Matrix heavy_rows(Index count) {
  Matrix A = with_spectrum(1000, algebraic(1e2, 1.0), d, 5);
  for (Index i = 0; i < count; ++i) A.row(7 * i) *= 1000.0;
  return A;
}

// Two equal rows carry the largest eigenvalue, and another pair the next.
Matrix heavy_pairs() {
  Matrix A = 1e-3 * normal(1000, d, 6);
  A(10, 0) = A(500, 0) = 10.0;
  A(20, 1) = A(600, 1) = 9.5;
  return A;
}

Matrix zero_every_other_row() {
  Matrix A = with_spectrum(1000, algebraic(1e2, 1.0), d, 5);
  for (Index i = 0; i < A.rows(); i += 2) A.row(i).setZero();
  return A;
}

Matrix scattered_diagonal(const Vector& squared) {
  Matrix A = Matrix::Zero(1000, d);
  for (Index i = 0; i < d; ++i) A(17 * i, i) = std::sqrt(squared(i));
  return A;
}

Matrix few_ones() {
  Matrix A = Matrix::Zero(1000, d);
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < d; ++j)
      A(i, j) = Random(7, 0).uniform(to_size(i), to_size(j)) < 0.05 ? 1.0 : 0.0;
  return A;
}

std::vector<Matrix> kinds() {
  const auto haar = [](const Vector& squared, Index rows = 1000) {
    return with_spectrum(rows, squared, d, 5);
  };
  return {haar(algebraic(1e2, 1.0)),
          haar(algebraic(1e4, 2.0)),
          haar(algebraic(1e6, 0.5)),
          haar(algebraic(1e8, 1.0)),
          haar(Vector::LinSpaced(d, 0.0, std::log(1e8)).array().exp()),
          haar(Vector::Ones(d)),
          haar(flat_but(100.0)),
          haar(flat_but(1e6)),
          haar(flat_but(1.3)),
          haar(flat_but(1.6)),
          haar(flat_but(0.7)),
          haar(flat_but(1e-2)),
          haar(flat_but(1e-8)),
          heavy_rows(1),
          heavy_rows(20),
          heavy_rows(100),
          heavy_pairs(),
          zero_every_other_row(),
          scattered_diagonal(Vector::Ones(d)),
          scattered_diagonal(algebraic(1e2, 1.0)),
          few_ones(),
          haar(algebraic(1e2, 1.0), s + 5),
          haar(algebraic(1e2, 1.0), s / 2),
          haar(algebraic(1e2, 1.0), d),
          normal(1000, d, 8)};
}

// 25 kinds of A with 40 sketches each. The bars may fail one sketch in a thousand:
// of 1000 more than 5 would with probability 6e-4.
TEST(SketchExtremes, HaveErrorBarsThatHoldAsOftenAsTheySay) {
  int failures = 0, sketches = 0;
  for (const Matrix& A : kinds()) {
    const Ends truth = ends_of(A, d);
    const Problem problem = dense_problem(A);
    for (std::uint64_t seed = 0; seed < 40; ++seed, ++sketches) {
      const Extremes got = sketched(problem, 1000 + seed, s);
      ASSERT_EQ(got.rank, d);
      failures +=
          !holds(*got.lambda_min_range, truth.min) || !holds(*got.lambda_max_range, truth.max);
    }
  }
  EXPECT_EQ(sketches, 1000);
  EXPECT_LE(failures, 5);
}

// `count` equal rows carry each of three eigenvalues.
Matrix few_rows(Index count) {
  Matrix A = Matrix::Zero(60, 3);
  for (Index i = 0; i < count; ++i) A(10 + i, 0) = 10.0;
  for (Index i = 0; i < count; ++i) A(30 + i, 1) = 9.0;
  for (Index i = 0; i < count; ++i) A(50 + i, 2) = 0.1;
  return A;
}

// For a larger sketch scatter is small, and what is left are collisions of the few
// rows that carry an end by themselves: those of two rows happen to 8 in 1000
// sketches of 8192 rows. Of 4000 more than 11 would fail with probability 9e-4.
TEST(SketchExtremes, SurviveTheCollisionOfRowsThatCarryAnEnd) {
  for (const Index count : {2, 3, 4}) {
    const Matrix A = few_rows(count);
    const Ends truth = ends_of(A, 3);
    const Problem problem = dense_problem(A);
    int failures = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      const Extremes got = sketched(problem, seed, 8192);
      failures +=
          !holds(*got.lambda_min_range, truth.min) || !holds(*got.lambda_max_range, truth.max);
    }
    EXPECT_LE(failures, 11) << count;
  }
}

}  // namespace
}  // namespace polyak::test
