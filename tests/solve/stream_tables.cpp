// Awkward tables that are read once: dependent and constant columns, numbers far from zero, first
// rows unlike the others, few rows or none.

#include <algorithm>
#include <limits>

#include "support/streams.hpp"

namespace polyak::test::streams {
namespace {

TEST(StreamTables, DependentColumnsGiveTheLeastNormAndAreNamed) {
  Rows A = random(20000, 7, 61);
  A.col(4) = 2.0 * A.col(1) - A.col(2);
  A.col(6).setZero();
  A.col(0) *= 1e5;
  ProblemData parts = data(A, random(20000, 1, 62));
  const Report found = streamed(parts), expected = by_direct(parts);
  EXPECT_EQ(found.used.rank, 5);
  EXPECT_LT((solution(found) - solution(expected)).norm(), 1e-12 * solution(expected).norm());
  EXPECT_EQ(found.zero_columns, 1);
  // Which of the three depends on the others is a matter of rounding.
  ASSERT_EQ(found.dependent_columns.size(), 2u);
  std::vector<Index> together = found.dependent_columns[0].on;
  together.push_back(found.dependent_columns[0].column);
  std::sort(together.begin(), together.end());
  EXPECT_EQ(together, (std::vector<Index>{1, 2, 4}));
  EXPECT_EQ(found.dependent_columns[1].column, 6);
  EXPECT_TRUE(found.dependent_columns[1].on.empty());
}

TEST(StreamTables, AConstantColumnBesideAnInterceptIsNotAnUnknown) {
  Rows A = random(12000, 4, 63);
  A.col(2).setConstant(0.1);
  ProblemData parts = data(A, random(12000, 1, 64));
  parts.intercept = true;
  const Report found = streamed(parts), expected = by_direct(parts);
  EXPECT_EQ(solution(found)(2, 0), 0.0);
  EXPECT_LT((solution(found) - solution(expected)).norm(), 1e-12 * solution(expected).norm());
  ASSERT_EQ(found.dependent_columns.size(), 1u);
  EXPECT_EQ(found.dependent_columns[0].on, std::vector<Index>{4});
}

// The mean of the first rows is far from that of all: any centre is correct.
TEST(StreamTables, ColumnsMayDriftAwayFromTheFirstRows) {
  const Index n = 50000;
  Rows A = random(n, 3, 71);
  for (Index i = 0; i < n; ++i) A(i, 1) += 1e9 + 1e3 * static_cast<double>(i);
  ProblemData parts = data(A, A * random(3, 1, 72) + random(n, 1, 73));
  parts.intercept = true;
  const Report found = streamed(parts), direct = by_direct(parts);
  const Long exact = long_solution(parts);
  const auto error = [&](const Report& report, Index j) {
    return std::abs(static_cast<double>(report.x(j, 0) / exact(j, 0) - 1.0L));
  };
  // The step from the start has rounding errors relative to the noise, that of `direct` to b, which
  // is 10^9 times as large.
  for (Index j = 0; j < 3; ++j) {
    EXPECT_LT(error(found, j), 1e-9) << j;
    EXPECT_LT(error(found, j), error(direct, j) + 1e-15) << j;
  }
}

// b loses its level first, as in memory: otherwise its rounding, and the tolerance relative to it,
// would be a billion times the noise.
TEST(StreamTables, ARightHandSideFarFromZeroBesideAnIntercept) {
  ProblemData parts = table(30000, 4, 0.2, 111);
  Rows b(30000, 1);
  for (Index i = 0; i < 30000; ++i) b(i, 0) = parts.b(i) + 1e9;
  parts.b = array(b);
  parts.intercept = true;
  const Report found = streamed(parts), direct = by_direct(parts);
  const Long exact = long_solution(parts);
  // The numbers of b have a spacing of 1.2e-7, but they are what they are: only the last rounding
  // of the intercept is relative to 1e9.
  for (Index j = 0; j < 4; ++j)
    EXPECT_NEAR(found.x(j, 0), static_cast<double>(exact(j, 0)), 1e-12) << j;
  EXPECT_NEAR(found.x(4, 0), static_cast<double>(exact(4, 0)), 1e9 * 0x1p-52);
  EXPECT_LE(found.stream->backward_error_bound, 1e-9);
  EXPECT_NEAR(*found.residual_norm / *direct.residual_norm, 1.0, 1e-9);
  EXPECT_NEAR(*found.relative_residual / *direct.relative_residual, 1.0, 1e-9);
  EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
  SolveOptions options;
  options.statistics = true;
  const Report a = streamed(parts, options), m = by_direct(parts, options);
  EXPECT_NEAR(*a.statistics->r_squared[0], *m.statistics->r_squared[0], 1e-10);
  for (Index j = 0; j < 5; ++j)
    EXPECT_NEAR(a.statistics->standard_errors(j, 0) / m.statistics->standard_errors(j, 0), 1.0,
                1e-7);
}

TEST(StreamTables, AConstantRightHandSideIsTheIntercept) {
  ProblemData parts = data(random(5000, 3, 114), Rows::Constant(5000, 1, 0.1));
  parts.intercept = true;
  const Report found = streamed(parts);
  EXPECT_EQ(found.status, Status::converged);
  for (Index j = 0; j < 3; ++j) EXPECT_EQ(found.x(j, 0), 0.0);
  EXPECT_EQ(found.x(3, 0), 0.1);
  EXPECT_EQ(*found.residual_norm, 0.0);
}

// The first rows are of another kind: other coefficients, a column that is zero in them, one that
// is constant in them.
TEST(StreamTables, TheFirstRowsMayBeUnlikeTheOthers) {
  for (const bool intercept : {false, true}) {
    const Index n = 20000, other = 9000;
    Rows A = random(n, 4, 121), b(n, 1);
    const Rows x = random(4, 1, 122), noise = random(n, 1, 123);
    for (Index i = 0; i < other; ++i) A(i, 2) = 0.0, A(i, 3) = 5.0;
    for (Index i = 0; i < n; ++i)
      b(i, 0) = (i < other ? -1e6 : 1.0) * (A.row(i) * x)(0, 0) + 0.1 * noise(i, 0);
    ProblemData parts = data(A, b);
    parts.intercept = intercept;
    const Report found = streamed(parts);
    const Long exact = long_solution(parts);
    for (Index j = 0; j < exact.rows(); ++j)
      EXPECT_NEAR(found.x(j, 0), static_cast<double>(exact(j, 0)), 1e-13 * 1e6) << j;
    EXPECT_EQ(found.status, Status::converged);
    EXPECT_LE(found.stream->backward_error_bound, 1e-8);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
  }
}

// A column that differs from its first value by rounding only, and more so in the first rows.
TEST(StreamTables, AColumnThatIsConstantToRoundingBesideAnIntercept) {
  const Index n = 60000;
  Rows A = random(n, 3, 131);
  const Rows b = A * random(3, 1, 132) + random(n, 1, 133);
  for (Index i = 0; i < n; ++i) {
    const double step = i < 9000 ? 5.0 : 0.0;  // above the line there, below it in all rows
    A(i, 1) = 1.0 + (i % 2 ? step : -step) * 0x1p-52;
  }
  ProblemData parts = data(A, b);
  parts.intercept = true;
  const Report found = streamed(parts);
  ASSERT_EQ(found.used.rank, 3);
  Rows two(n, 2);
  two.col(0) = A.col(0), two.col(1) = A.col(2);
  ProblemData without = data(two, b);
  without.intercept = true;
  const Long exact = long_solution(without);
  EXPECT_NEAR(found.x(0, 0), static_cast<double>(exact(0, 0)), 1e-12);
  EXPECT_EQ(found.x(1, 0), 0.0);
  EXPECT_NEAR(found.x(2, 0), static_cast<double>(exact(1, 0)), 1e-12);
}

// The shortest x that fits best, without the intercept in its length, also where there are fewer
// rows than columns.
TEST(StreamTables, SmallAndWideTables) {
  struct Size {
    Index n, d;
  };
  for (const Size size :
       {Size{1, 1}, Size{5, 1}, Size{5000, 1}, Size{3, 7}, Size{1, 4}, Size{20, 20}})
    for (const bool intercept : {false, true}) {
      SCOPED_TRACE(std::to_string(size.n) + " x " + std::to_string(size.d) +
                   (intercept ? " and an intercept" : ""));
      const Rows A = random(size.n, size.d, 141), b = random(size.n, 1, 142);
      ProblemData parts = data(A, b);
      parts.intercept = intercept;
      const Report found = streamed(parts);
      Eigen::RowVectorXd means = Eigen::RowVectorXd::Zero(size.d);
      if (intercept) means = A.colwise().mean();
      const double mean = intercept ? b.mean() : 0.0;
      const Eigen::MatrixXd centred = A.rowwise() - means;
      const Eigen::VectorXd x =
          centred.completeOrthogonalDecomposition().solve(Eigen::VectorXd(b.array() - mean));
      EXPECT_EQ(found.status, Status::converged) << found.reason;
      EXPECT_LT((solution(found).topRows(size.d) - x).norm(), 1e-11 * (1.0 + x.norm()));
      if (intercept) {
        EXPECT_NEAR(found.x(size.d, 0), mean - means.dot(x), 1e-11 * (1.0 + x.norm()));
      }
    }
}

TEST(StreamTables, ManyRightHandSidesHaveNoStart) {
  ProblemData parts = table(9000, 6, 0.1, 151, 1.0, 0.0, 7);
  const Report found = streamed(parts), expected = by_direct(parts);
  EXPECT_LT((solution(found) - solution(expected)).norm(), 1e-12 * solution(expected).norm());
  EXPECT_LE(found.stream->backward_error_bound, 1e-8);
}

// Without a row that counts there is nothing to fit.
TEST(StreamTables, NoRowThatCounts) {
  for (const bool intercept : {false, true})
    for (const bool dropped : {false, true}) {
      Rows A = random(700, 3, 161);
      if (dropped) A.col(1).setConstant(std::numeric_limits<double>::quiet_NaN());
      ProblemData parts = data(A, random(700, 1, 162));
      parts.intercept = intercept;
      if (!dropped) parts.weights.assign(700, 0.0);
      StreamProblem problem = stream_problem(parts);
      problem.drop_nonfinite_rows = true;
      const auto rows = row_stream(parts.A);
      const Report found = solve_stream(*rows, problem);
      EXPECT_EQ(found.rows, dropped ? 0 : 700);
      EXPECT_EQ(found.used.rank, 0);
      for (Index j = 0; j < found.x.rows(); ++j) EXPECT_EQ(found.x(j, 0), 0.0);
      EXPECT_EQ(*found.residual_norm, 0.0);
      EXPECT_EQ(found.status, Status::converged);
    }
}

TEST(StreamTables, NumbersOfAnySize) {
  for (const double size : {1e-150, 1e-30, 1e30, 1e150}) {
    ProblemData parts = table(6000, 5, 0.1, 81);
    Rows A(6000, 5), b(6000, 1);
    for (Index i = 0; i < 6000; ++i) {
      parts.A->copy_rows(i, i + 1, {&A(i, 0), 1, 5, 5});
      b(i, 0) = parts.b(i) * size;
    }
    A *= size;
    const Report found = streamed(data(A, b)), plain = streamed(parts);
    EXPECT_EQ(found.status, Status::converged) << size;
    for (Index j = 0; j < 5; ++j) EXPECT_NEAR(found.x(j, 0) / plain.x(j, 0), 1.0, 1e-10) << size;
  }
}

}  // namespace
}  // namespace polyak::test::streams
