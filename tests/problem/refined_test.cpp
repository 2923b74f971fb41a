// The refined solution beside one by Eigen in long doubles.

#include <gtest/gtest.h>

#include <cmath>

#include "core/thread_team.hpp"
#include "dense_rows.hpp"
#include "problem/least_squares.hpp"
#include "problem/varied.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

Vector by_eigen(const Matrix& A, const Vector& b) {
  const LongVector scale = A.cast<long double>().colwise().norm();
  const LongMatrix scaled = A.cast<long double>() * scale.cwiseInverse().asDiagonal();
  const LongVector z = scaled.householderQr().solve(b.cast<long double>());
  return z.cwiseQuotient(scale).cast<double>();
}

double scaled_error(const Matrix& A, const Vector& x, const Vector& best) {
  const Vector scale = A.colwise().norm();
  return (scale.asDiagonal() * (x - best)).norm() / (scale.asDiagonal() * best).norm();
}

Vector of(const std::vector<double>& v) {
  return Eigen::Map<const Vector>(v.data(), std::ssize(v));
}

// Powers of t in [0, 1], in units from 1 to 1e9: condition about 1e8 once scaled.
Matrix powers(Index n, Index d) {
  Matrix A(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      A(i, j) = std::pow((static_cast<double>(i) + 0.5) / static_cast<double>(n),
                         static_cast<double>(j)) *
                std::pow(10.0, static_cast<double>(j % 4) * 3.0);
  return A;
}

Vector waves(Index n) {
  Vector b(n);
  for (Index i = 0; i < n; ++i) b(i) = std::cos(0.37 * static_cast<double>(i * i % 101));
  return b;
}

// Eigen's long doubles leave eps_ld·condition²·‖r‖/‖b‖, here 5e-20·1e16·…: what both agree
// to is far below the error of QR in double precision.
TEST(RefinedLeastSquares, AgreesWithQrInLongDoubles) {
  ThreadTeam team(2);
  const Matrix A = powers(400, 11);
  const Vector b = waves(400), best = by_eigen(A, b);
  const RefinedSolution found = refined_least_squares(*row_matrix(A), {b.data(), 400, 1, 1}, team);
  ASSERT_TRUE(found.unique);
  const double ours = scaled_error(A, of(found.x), best);
  const double qr = scaled_error(A, of(found.x_qr), best);
  // The error of QR depends on the BLAS kernels of the processor: 1.6e-10 was seen.
  EXPECT_LE(found.error, 5e-2 * qr);
  EXPECT_LE(ours, 1e-2 * qr) << "QR in double precision is off by " << qr;
  EXPECT_GT(qr, 1e-12) << "the problem is too easy to tell them apart";
  EXPECT_NEAR(found.residual_norm, (A * best - b).norm(), 1e-9 * b.norm());
}

// b = A·x of condition 8e7: the gradient at 0 is large, and rounding it once would cost
// condition² of x. b itself is rounded, which leaves eps·condition.
TEST(RefinedLeastSquares, FindsTheUniqueSolutionOfAConsistentIllConditionedProblem) {
  ThreadTeam team(2);
  const GeneratedProblem made = varied::system_of(68, team);
  ASSERT_TRUE(varied_problem(68).text.starts_with("blurred")) << varied_problem(68).text;
  ASSERT_EQ(varied_problem(68).relative_noise, 0.0);
  const RefinedSolution found = refined_least_squares(*made.A, made.b.view(), team);
  ASSERT_TRUE(found.unique);
  EXPECT_LE(scaled_error(rows_of(*made.A), of(found.x), vector(made.x_planted)), 1e-7);
  EXPECT_LE(found.error, 1e-10);
}

TEST(RefinedLeastSquares, IsTheSameForRowsByTheirEntries) {
  ThreadTeam team(2);
  const Matrix A = powers(60, 5);
  const Vector b = waves(60);
  std::vector<Triplet> entries;
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < A.cols(); ++j) entries.push_back({i, j, A(i, j)});
  const ConstView rhs{b.data(), 60, 1, 1};
  const auto dense = refined_least_squares(*row_matrix(A), rhs, team);
  const auto sparse = refined_least_squares(*csr_from_triplets(entries, 60, 5), rhs, team);
  EXPECT_EQ(dense.x, sparse.x);
}

TEST(RefinedLeastSquares, TellsWhereTheSolutionIsNotUniqueAndTakesThatOfLeastNorm) {
  ThreadTeam team(1);
  Matrix A = powers(50, 4);
  A.col(3) = A.col(1);
  const Vector b = waves(50);
  const RefinedSolution found = refined_least_squares(*row_matrix(A), {b.data(), 50, 1, 1}, team);
  EXPECT_FALSE(found.unique);
  EXPECT_TRUE(found.x_qr.empty());
  EXPECT_NEAR(found.x[1], found.x[3], 1e-9 * std::abs(found.x[1]));
  const Vector r = b - A * of(found.x);
  EXPECT_NEAR(found.residual_norm, r.norm(), 1e-12 * b.norm());
}

// A column of zeros has no part in b.
TEST(RefinedLeastSquares, LeavesAColumnOfZerosAtZero) {
  ThreadTeam team(1);
  Matrix A = powers(50, 4);
  A.col(2).setZero();
  const Vector b = waves(50);
  const RefinedSolution found = refined_least_squares(*row_matrix(A), {b.data(), 50, 1, 1}, team);
  EXPECT_FALSE(found.unique);
  EXPECT_EQ(found.x[2], 0.0);
}

}  // namespace
}  // namespace polyak::test
