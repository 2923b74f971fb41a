// The sparse sign sketch: unbiased, a good preconditioner, the same for any team.

#include "spectrum/sketch.hpp"

#include <gtest/gtest.h>

#include "spectrum/problems.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

Matrix matrix_of(const Buffer& buffer) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      buffer.data(), buffer.rows(), buffer.cols());
}

Matrix sketch(const Problem& problem, Index rows, std::uint64_t seed, int threads = 1) {
  ThreadTeam team(threads);
  return matrix_of(sparse_sign_sketch(problem, {}, rows, seed, team));
}

Matrix normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  return with_spectrum(rows, Vector::LinSpaced(cols, 1.0, 50.0), cols, seed);
}

TEST(sketch, keeps_squared_norms_in_the_mean) {
  const Problem problem = dense_problem(normal_matrix(700, 5, 3), Matrix::Ones(700, 1));
  const Matrix A = normal_matrix(700, 5, 3);
  constexpr int seeds = 400, rows = 64;
  double sum = 0.0;
  for (int seed = 0; seed < seeds; ++seed)
    sum += sketch(problem, rows, static_cast<std::uint64_t>(seed)).leftCols(5).squaredNorm();
  // Var‖Sy‖² ≤ 2‖y‖⁴/s; five columns of unequal size at most as much together:
  // four standard deviations of the mean, 1 in 16000 to fail for a right sketch.
  const double mean = sum / seeds / A.squaredNorm();
  EXPECT_NEAR(mean, 1.0, 4.0 * std::sqrt(2.0 / rows / seeds));
}

TEST(sketch, puts_the_preconditioned_spectrum_into_the_marchenko_pastur_band) {
  const Index d = 30, s = 6 * d;
  const Matrix A = with_spectrum(3000, Vector::LinSpaced(d, 0.0, 12.0).array().exp(), d, 5);
  const Matrix SA = sketch(dense_problem(A), s, 1).leftCols(d);
  const Matrix R = triangle(SA);
  const Vector found = squared_singular_values(
      R.transpose().triangularView<Eigen::Lower>().solve(A.transpose()).transpose());
  const double r = static_cast<double>(d) / static_cast<double>(s);
  // Finite d widens the band's edges by a few parts in d^(2/3).
  const double slack = 1.0 + 4.0 / std::pow(static_cast<double>(d), 2.0 / 3.0);
  EXPECT_LE(found.maxCoeff(), slack / std::pow(1.0 - std::sqrt(r), 2));
  EXPECT_GE(found.minCoeff(), 1.0 / slack / std::pow(1.0 + std::sqrt(r), 2));
}

TEST(sketch, has_the_same_bits_for_any_team_and_for_sparse_rows) {
  Matrix A = normal_matrix(1000, 130, 7);
  for (Index i = 0; i < A.rows(); ++i) A(i, i % 130) = 0.0;
  const Matrix b = normal_matrix(1000, 2, 8);
  const Matrix one = sketch(dense_problem(A, b), 400, 9);
  EXPECT_EQ(one, sketch(dense_problem(A, b), 400, 9, 3));
  EXPECT_EQ(one, sketch(sparse_problem(A, b), 400, 9, 2));
  EXPECT_NE(one, sketch(dense_problem(A, b), 400, 10));
}

TEST(sketch, weighs_rows_by_the_root_of_their_weight) {
  const Matrix A = normal_matrix(50, 4, 11), b = Matrix::Ones(50, 1);
  Vector w = Vector::LinSpaced(50, 0.0, 4.9);
  const Matrix expected = sketch(dense_problem(weighted(A, w), weighted(b, w)), 64, 2);
  EXPECT_LE((sketch(dense_problem(A, b, w), 64, 2) - expected).norm(), 1e-13 * expected.norm());
}

TEST(sketch, of_no_rows_is_zero) {
  EXPECT_EQ(sketch(dense_problem(Matrix::Zero(0, 3), Matrix::Zero(0, 1)), 64, 1).norm(), 0.0);
}

}  // namespace
}  // namespace polyak::test
