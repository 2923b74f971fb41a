// Facts, AᵀA and Aᵀb from one read of A, and the residual that follows from them: within its bound
// of the one computed from A in long double.

#include "spectrum/normal_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "polyak/error.hpp"
#include "problems.hpp"

namespace polyak::test::normal_equations {
using namespace polyak::internal;

namespace {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

SweptFacts swept(const Problem& problem, int threads = 2) {
  ThreadTeam team(threads);
  return sweep(problem, team);
}

MatrixFacts gathered(const Problem& problem) {
  ThreadTeam team(2);
  return gather_facts(problem, team);
}

TEST(Sweep, GivesTheFactsThatASeparateReadGives) {
  for (const Index n : {1, 7, 300, 5000}) {
    for (const Index d : {1, 5, 40}) {
      Matrix A = normal(n, d, 51);
      const Matrix b = normal(n, 2, 52);
      Vector w = normal(n, 1, 53).cwiseAbs();
      if (n > 3) A.row(n / 2).setZero(), w(n / 3) = 0.0;
      for (const bool weighted : {false, true}) {
        for (const bool sparse : {false, true}) {
          const Vector weights = weighted ? w : Vector();
          const Problem problem =
              sparse ? sparse_problem(A, b, weights) : dense_problem(A, b, weights);
          const SweptFacts got = swept(problem);
          const MatrixFacts expected = gathered(problem);
          ASSERT_TRUE(got.normal);
          EXPECT_EQ(got.facts.rows_read, static_cast<double>(n));
          EXPECT_EQ(got.facts.zero_rows, expected.zero_rows);
          EXPECT_EQ(got.facts.zero_rows_with_rhs, expected.zero_rows_with_rhs);
          EXPECT_TRUE(got.facts.zero_columns.empty());
          const double near = 4.0 * static_cast<double>(n + d + 8) * eps;
          EXPECT_NEAR(got.facts.frobenius2, expected.frobenius2, near * expected.frobenius2);
          for (Index j = 0; j < d; ++j)
            EXPECT_NEAR(got.facts.column_norms[to_size(j)], expected.column_norms[to_size(j)],
                        near * expected.column_norms[to_size(j)]);
          for (std::size_t k = 0; k < 2; ++k)
            EXPECT_NEAR(got.facts.b_norms[k], expected.b_norms[k], near * expected.b_norms[k]);
        }
      }
    }
  }
}

TEST(Sweep, HasTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = dense_problem(normal(3000, 30, 54), normal(3000, 1, 55));
  const SweptFacts one = swept(problem, 1);
  for (const int threads : {2, 3, 7}) {
    const SweptFacts other = swept(problem, threads);
    EXPECT_TRUE(same_bits(one.normal->all, other.normal->all)) << threads;
    EXPECT_EQ(one.normal->rounding, other.normal->rounding);
  }
}

// A column of zeros, or of numbers whose squares are zero, numbers that need scaling, b = 0: the
// facts are those of gather_facts.
TEST(Sweep, LeavesWhatOneReadDoesNotSettleToASecond) {
  Matrix with_zero = normal(50, 4, 56), with_tiny = with_zero;
  with_zero.col(2).setZero();
  with_tiny.col(2) *= 1e-200;
  const Matrix b = normal(50, 1, 57), A = normal(50, 4, 58);
  bool has_equations = true;
  for (const Problem& problem :
       {dense_problem(with_zero, b), dense_problem(with_tiny, b), dense_problem(1e-150 * A, b),
        dense_problem(1e150 * A, b), dense_problem(A, 0.0 * b)}) {
    const SweptFacts got = swept(problem);
    const MatrixFacts expected = gathered(problem);
    EXPECT_EQ(got.normal.has_value(), has_equations);
    has_equations = false;  // only where a column is zero
    EXPECT_GT(got.facts.rows_read, 50.0);
    EXPECT_EQ(got.facts.scale.a, expected.scale.a);
    EXPECT_EQ(got.facts.zero_columns, expected.zero_columns);
    EXPECT_EQ(got.facts.frobenius2, expected.frobenius2);
  }
}

TEST(Sweep, NamesAValueThatIsNotFinite) {
  Matrix A = normal(400, 5, 59);
  A(77, 3) = std::numeric_limits<double>::quiet_NaN();
  try {
    (void)swept(dense_problem(A, normal(400, 1, 60)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 78, column 4"), std::string::npos);
  }
}

TEST(Sweep, ScalesColumnsByPowersOfTwoWithoutRounding) {
  const Matrix A = normal(700, 3, 61), b = normal(700, 1, 62);
  const double factors[] = {0x1p40, 1.0, 0x1p-30};
  SweptFacts got = swept(dense_problem(A, b));
  scale_columns(got, factors);
  Matrix scaled = A;
  for (Index j = 0; j < 3; ++j) scaled.col(j) *= factors[j];
  const SweptFacts expected = swept(dense_problem(scaled, b));
  EXPECT_TRUE(same_bits(got.normal->all, expected.normal->all));
  EXPECT_TRUE(same_bits(got.facts.column_norms, expected.facts.column_norms));
}

// The truth in long double, whose own rounding is 2048 times smaller.
void expect_within_bounds(const Matrix& A, const Matrix& b, const Vector& w, const Matrix& X,
                          const NormalModel& model, const NormalEquations& equations) {
  const Wide R = A.cast<long double>() * X.cast<long double>() - b.cast<long double>();
  const Wide WR = w.cast<long double>().asDiagonal() * R;
  const Wide G = A.cast<long double>().transpose() * WR;
  for (Index k = 0; k < X.cols(); ++k) {
    std::vector<double> x = numbers(X.col(k)), g(x.size());
    const NormalModel::Value at = model.at(x.data(), k, g.data());
    const long double true2 = R.col(k).dot(WR.col(k));
    EXPECT_LE(std::abs(static_cast<double>(at.residual2 - true2)), at.residual2_error);
    for (Index j = 0; j < A.cols(); ++j)
      EXPECT_LE(std::abs(static_cast<double>(g[to_size(j)] - G(j, k))),
                at.gradient_error * equations.norms[to_size(j)])
          << "column " << j;
  }
}

TEST(NormalModel, IsWithinItsBoundsOfTheResidualOfA) {
  unsigned seed = 100;
  for (const Index n : {40, 900, 20000}) {
    for (const double column_ratio : {1.0, 1e9}) {
      for (const double noise : {1.0, 1e-4, 1e-9, 0.0}) {
        const Index d = 17;
        Matrix A = normal(n, d, ++seed);
        for (Index j = 0; j < d; ++j)
          A.col(j) *= std::pow(column_ratio, static_cast<double>(j) / static_cast<double>(d));
        Matrix planted = normal(d, 2, ++seed);
        for (Index j = 0; j < d; ++j) planted.row(j) /= A.col(j).norm();
        const Matrix b = A * planted + noise * normal(n, 2, ++seed);
        const Vector w = normal(n, 1, ++seed).cwiseAbs();
        const Problem problem = dense_problem(A, b, w);
        const SweptFacts got = swept(problem);
        ASSERT_TRUE(got.normal);
        const NormalModel model(*got.normal);
        expect_within_bounds(A, b, w, planted, model, *got.normal);
        expect_within_bounds(A, b, w, 1.5 * planted, model, *got.normal);
        expect_within_bounds(A, b, w, 0.0 * planted, model, *got.normal);
      }
    }
  }
}

// From a point at which A was read, the bound of a small step is far below the bound from 0.
TEST(NormalModel, OfASmallStepFromAReadHasASmallBound) {
  const Index n = 3000, d = 12;
  const Matrix A = normal(n, d, 63), planted = normal(d, 1, 64);
  const Matrix b = A * planted + 1e-7 * normal(n, 1, 65);
  const Vector w = Vector::Ones(n);
  const SweptFacts got = swept(dense_problem(A, b));
  ASSERT_TRUE(got.normal);
  NormalModel model(*got.normal);
  const Matrix x0 = planted + 1e-6 * normal(d, 1, 66), x1 = x0 + 1e-6 * normal(d, 1, 67);
  std::vector<double> g(to_size(d)), x = numbers(x1.col(0));
  const double from_zero = model.at(x.data(), 0, g.data()).gradient_error;
  const Matrix r0 = A * x0 - b, g0 = A.transpose() * r0;
  const double residual2 = r0.squaredNorm();
  model.read_at({x0.data(), 1, d, d}, {g0.data(), 1, d, d}, {&residual2, 1});
  EXPECT_TRUE(model.known_at({x0.data(), 1, d, d}));
  EXPECT_FALSE(model.known_at({x1.data(), 1, d, d}));
  const NormalModel::Value at = model.at(x.data(), 0, g.data());
  EXPECT_LT(at.gradient_error, 0.2 * from_zero);
  expect_within_bounds(A, b, w, x1, model, *got.normal);
  expect_within_bounds(A, b, w, x0, model, *got.normal);
}

// A saved run without a read of A continues with equations: from x = 0.
TEST(NormalModel, StartsFromZeroWhereItsStateIsZero) {
  const SweptFacts got = swept(dense_problem(normal(90, 4, 70), normal(90, 1, 71)));
  const NormalModel fresh(*got.normal);
  NormalModel model(*got.normal);
  const std::vector<double> x{1.0, -2.0, 0.5, 3.0}, read_g(4, 1.0), residual2{5.0};
  std::vector<double> g(4), expected(4);
  model.read_at({x.data(), 1, 4, 4}, {read_g.data(), 1, 4, 4}, residual2);
  EXPECT_TRUE(model.known_at({x.data(), 1, 4, 4}));
  std::fill(model.state().begin(), model.state().end(), 0.0);
  EXPECT_FALSE(model.known_at({x.data(), 1, 4, 4}));
  EXPECT_EQ(model.at(x.data(), 0, g.data()).residual2,
            fresh.at(x.data(), 0, expected.data()).residual2);
  EXPECT_EQ(g, expected);
}

}  // namespace
}  // namespace polyak::test::normal_equations
