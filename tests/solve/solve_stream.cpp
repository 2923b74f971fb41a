// Rows that are read once give the solution, rank, norms and statistics of a solve in memory, and
// the report's bounds hold.

#include "polyak/solve_stream.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::streams {
namespace {

struct Case {
  std::string name;
  ProblemData parts;
};

// Columns of norms from 1 to `ratio`, and a constant `offset` of their size; `noise` relative to b.
ProblemData table(Index n, Index d, double noise, unsigned seed, double ratio = 1.0,
                  double offset = 0.0, Index sides = 1) {
  Rows A = random(n, d, seed), x = random(d, sides, seed + 1);
  A.array() += offset;
  for (Index j = 0; j < d; ++j) {
    const double size = std::pow(ratio, static_cast<double>(j) / static_cast<double>(d));
    A.col(j) *= size;
    x.row(j) /= size;
  }
  Rows b = A * x;
  b += noise * b.norm() / std::sqrt(static_cast<double>(n)) * random(n, sides, seed + 2);
  return data(A, b);
}

std::vector<double> some_weights(Index n) {
  std::vector<double> out(to_size(n));
  for (Index i = 0; i < n; ++i)
    out[to_size(i)] = i % 11 == 0 ? 0.0 : 0.25 + static_cast<double>(i % 7);
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"plain", table(30000, 12, 0.1, 1)});
  out.push_back({"several right-hand sides", table(20000, 9, 0.1, 4, 1.0, 0.0, 3)});
  out.push_back({"columns of different size", table(25000, 10, 0.3, 7, 1e8)});
  out.push_back({"little noise", table(40000, 8, 1e-5, 10)});
  out.push_back({"consistent", table(30000, 15, 0.0, 11)});
  out.push_back({"weights", table(20000, 11, 0.2, 13)});
  out.back().parts.weights = some_weights(20000);
  out.push_back({"ridge", table(15000, 14, 0.1, 16)});
  out.back().parts.ridge = 30.0;
  out.push_back({"intercept, offset", table(18000, 6, 0.1, 19, 1.0, 1e6)});
  out.back().parts.intercept = true;
  out.push_back({"intercept, ridge, weights, scale", table(18000, 6, 0.1, 22, 1e6, 3.0)});
  out.back().parts.intercept = true;
  out.back().parts.ridge = 5.0;
  out.back().parts.weights = some_weights(18000);
  out.push_back({"few rows", table(40, 6, 0.1, 25)});
  return out;
}

StreamProblem stream_problem(const ProblemData& parts) {
  StreamProblem out;
  out.b = parts.b;
  out.weights = parts.weights;
  out.ridge = parts.ridge;
  out.intercept = parts.intercept;
  out.reference = parts.reference;
  return out;
}

Report streamed(const ProblemData& parts, const SolveOptions& options = {}) {
  const auto rows = row_stream(parts.A);
  return solve_stream(*rows, stream_problem(parts), options);
}

Report by_direct(const ProblemData& parts, SolveOptions options = {}) {
  options.method = "direct";
  return solve(Problem(parts), options);
}

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// max_j |a_jᵀr|/(‖a_j‖‖r‖) of one right-hand side and ‖r‖/S, whichever is smaller, in long doubles,
// on columns that an intercept centres.
double backward_error(const ProblemData& parts, const Report& report, Index c) {
  const Index n = parts.A->rows(), d = parts.A->cols(), J = report.x.rows();
  Long A(n, J), b(n, 1);
  std::vector<double> row(to_size(d));
  for (Index i = 0; i < n; ++i) {
    parts.A->copy_rows(i, i + 1, {row.data(), 1, d, d});
    for (Index j = 0; j < J; ++j) A(i, j) = j < d ? row[to_size(j)] : 1.0;
    b(i, 0) = parts.b(i, c);
  }
  Long x(J, 1);
  for (Index j = 0; j < J; ++j) x(j, 0) = report.x(j, c);
  Long r = A * x - b;
  for (Index j = 0; j < d && J > d; ++j) A.col(j).array() -= A.col(j).mean();
  for (Index i = 0; i < n && !parts.weights.empty(); ++i) {
    const long double root = std::sqrt(static_cast<long double>(parts.weights[to_size(i)]));
    r.row(i) *= root;
    A.row(i) *= root;
    b.row(i) *= root;
  }
  long double r2 = r.squaredNorm(), largest = 0.0L, size = b.norm();
  for (Index j = 0; j < d; ++j) r2 += parts.ridge * x(j, 0) * x(j, 0);
  for (Index j = 0; j < J; ++j) {
    const long double ridge = j < d ? parts.ridge : 0.0;
    const long double column = std::sqrt(A.col(j).squaredNorm() + ridge);
    const long double g = (A.col(j).transpose() * r)(0, 0) + ridge * x(j, 0);
    largest = std::max(largest, std::abs(g) / column);
    size += column * std::abs(x(j, 0));
  }
  const long double norm = std::sqrt(r2);
  return static_cast<double>(std::min(norm / size, largest / norm));
}

// In long doubles, on columns that an intercept centres; without weights and ridge.
Long long_solution(const ProblemData& parts) {
  const Index n = parts.A->rows(), d = parts.A->cols();
  Long A(n, d), b(n, 1), x(d + 1, 1);
  std::vector<double> row(to_size(d));
  for (Index i = 0; i < n; ++i) {
    parts.A->copy_rows(i, i + 1, {row.data(), 1, d, d});
    for (Index j = 0; j < d; ++j) A(i, j) = row[to_size(j)];
    b(i, 0) = parts.b(i);
  }
  Long means = Long::Zero(1, d);
  if (parts.intercept) means = A.colwise().mean();
  A.rowwise() -= means.row(0);
  const long double mean = parts.intercept ? b.mean() : 0.0L;
  b.array() -= mean;
  x.topRows(d) = A.householderQr().solve(b);
  x(d, 0) = mean - (means * x.topRows(d))(0, 0);
  return parts.intercept ? x : Long(x.topRows(d));
}

TEST(SolveStream, SolvesWhatDirectSolves) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Report found = streamed(one.parts), expected = by_direct(one.parts);
    EXPECT_EQ(found.status, Status::converged) << found.reason;
    EXPECT_EQ(found.method, "direct");
    EXPECT_EQ(found.used.rank, expected.used.rank);
    EXPECT_NEAR(*found.used.condition / *expected.used.condition, 1.0, 0.6);  // other units
    EXPECT_NEAR(*found.residual_norm, *expected.residual_norm,
                1e-12 * static_cast<double>(one.parts.b.rows()) + 1e-9 * *expected.residual_norm);
    const Rows x = solution(found), y = solution(expected);
    for (Index j = 0; j < x.rows(); ++j)
      for (Index c = 0; c < x.cols(); ++c)
        EXPECT_NEAR(x(j, c), y(j, c), 1e-10 * (std::abs(y(j, c)) + 1e-3 * y.col(c).norm())) << j;
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.cols, expected.cols);
    EXPECT_EQ(found.passes, 1.0);
    EXPECT_EQ(found.row_products, found.rows);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
  }
}

// What is proved holds, with long doubles as the judge; and it is worth something.
TEST(SolveStream, TheBoundOfTheBackwardErrorHoldsAndMeetsTheTolerance) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Report found = streamed(one.parts);
    double exact = 0.0;
    for (Index c = 0; c < found.x.cols(); ++c)
      exact = std::max(exact, backward_error(one.parts, found, c));
    // The last rounding of the intercept is not part of it (decision 17).
    if (!one.parts.intercept) {
      EXPECT_LE(exact, found.stream->backward_error_bound);
    }
    EXPECT_LE(found.stream->backward_error_bound, 1e-8) << found.verified;
    EXPECT_LE(*found.backward_error, found.stream->backward_error_bound);
    EXPECT_NE(found.verified.find("from R of one read"), std::string::npos);
  }
}

// A wrong solution is not called converged: the numbers come from the rows.
TEST(SolveStream, ATightToleranceIsNotMet) {
  SolveOptions options;
  options.tol = 1e-17;
  const Report found = streamed(table(20000, 10, 0.1, 31), options);
  EXPECT_EQ(found.status, Status::stagnated);
  EXPECT_EQ(found.stopped_by, StoppedBy::method_end);
}

TEST(SolveStream, TheBitsDoNotDependOnThreads) {
  for (const Case& one : cases()) {
    SolveOptions options;
    options.threads = 1;
    const Report expected = streamed(one.parts, options);
    for (const Index threads : {2, 3, 7}) {
      options.threads = threads;
      const Report found = streamed(one.parts, options);
      for (Index i = 0; i < found.x.view().size(); ++i)
        EXPECT_EQ(found.x.view().data[i], expected.x.view().data[i]) << one.name;
      EXPECT_EQ(*found.residual_norm, *expected.residual_norm) << one.name;
      EXPECT_EQ(found.stream->backward_error_bound, expected.stream->backward_error_bound);
      EXPECT_EQ(found.stream->checked_residual, expected.stream->checked_residual);
    }
  }
}

TEST(SolveStream, StatisticsAreThoseOfTheRowsInMemory) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    SolveOptions options;
    options.statistics = true;
    const Report found = streamed(one.parts, options), expected = by_direct(one.parts, options);
    const Statistics &a = *found.statistics, &b = *expected.statistics;
    EXPECT_EQ(a.observations, b.observations);
    EXPECT_EQ(a.rank, b.rank);
    EXPECT_EQ(a.centred, b.centred);
    EXPECT_EQ(a.degrees_of_freedom, b.degrees_of_freedom);
    ASSERT_EQ(a.r_squared.size(), b.r_squared.size());
    for (std::size_t c = 0; c < a.r_squared.size(); ++c)
      EXPECT_NEAR(a.r_squared[c].value_or(-1.0), b.r_squared[c].value_or(-1.0), 1e-10);
    for (Index i = 0; i < b.standard_errors.view().size() && one.name != "consistent"; ++i)
      EXPECT_NEAR(a.standard_errors.view().data[i] / b.standard_errors.view().data[i], 1.0, 1e-7);
  }
}

// Without an intercept, but with a column of ones.
TEST(SolveStream, AConstantColumnIsFoundForTheStatistics) {
  ProblemData parts = table(9000, 4, 0.2, 51, 1.0, 2.0);
  Rows A(9000, 5);
  for (Index i = 0; i < 9000; ++i) {
    parts.A->copy_rows(i, i + 1, {&A(i, 0), 1, 4, 4});
    A(i, 4) = 3.0;
  }
  parts.A = matrix(A);
  SolveOptions options;
  options.statistics = true;
  const Report found = streamed(parts, options), expected = by_direct(parts, options);
  EXPECT_TRUE(found.statistics->centred);
  EXPECT_NEAR(*found.statistics->r_squared[0], *expected.statistics->r_squared[0], 1e-10);
}

TEST(SolveStream, DependentColumnsGiveTheLeastNormAndAreNamed) {
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

TEST(SolveStream, AConstantColumnBesideAnInterceptIsNotAnUnknown) {
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
TEST(SolveStream, ColumnsMayDriftAwayFromTheFirstRows) {
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

// Neither method is more accurate than the other on ordinary data.
TEST(SolveStream, IsAsAccurateAsDirect) {
  for (const double ratio : {1.0, 1e6})
    for (const double noise : {1.0, 1e-3, 1e-9}) {
      ProblemData parts = table(20000, 7, noise, 75, ratio);
      Rows A(20000, 7);
      for (Index i = 0; i < 20000; ++i) parts.A->copy_rows(i, i + 1, {&A(i, 0), 1, 7, 7});
      A.col(5) = A.col(4) * 2.0 + 1e-5 * A.col(5);  // a condition of 10^5 beside that of the units
      parts.A = matrix(A);
      const Long exact = long_solution(parts);
      const auto error = [&](const Report& report) {
        long double sum = 0.0L;
        for (Index j = 0; j < 7; ++j) {
          const long double size = A.col(j).norm();
          sum += std::pow(size * (report.x(j, 0) - exact(j, 0)), 2.0L);
        }
        return static_cast<double>(std::sqrt(sum));
      };
      const double found = error(streamed(parts)), direct = error(by_direct(parts));
      EXPECT_LT(found, 4.0 * direct + 1e-12) << ratio << " " << noise;
    }
}

TEST(SolveStream, NumbersOfAnySize) {
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

// b loses its level first, as in memory: otherwise its rounding, and the tolerance relative to it,
// would be a billion times the noise.
TEST(SolveStream, ARightHandSideFarFromZeroBesideAnIntercept) {
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

TEST(SolveStream, AConstantRightHandSideIsTheIntercept) {
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
TEST(SolveStream, TheFirstRowsMayBeUnlikeTheOthers) {
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
TEST(SolveStream, AColumnThatIsConstantToRoundingBesideAnIntercept) {
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
TEST(SolveStream, SmallAndWideTables) {
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

TEST(SolveStream, ManyRightHandSidesHaveNoStart) {
  ProblemData parts = table(9000, 6, 0.1, 151, 1.0, 0.0, 7);
  const Report found = streamed(parts), expected = by_direct(parts);
  EXPECT_LT((solution(found) - solution(expected)).norm(), 1e-12 * solution(expected).norm());
  EXPECT_LE(found.stream->backward_error_bound, 1e-8);
}

// Without a row that counts there is nothing to fit.
TEST(SolveStream, NoRowThatCounts) {
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

// An exception of the caller ends the solve, whatever the threads do.
TEST(SolveStream, AnExceptionOfTheCallerIsPassedOn) {
  const ProblemData parts = table(200000, 5, 0.1, 171);
  for (const Index last : {1, 100000}) {
    const auto rows = row_stream(parts.A);
    SolveOptions options;
    options.threads = 3;
    EXPECT_THROW(static_cast<void>(solve_stream(*rows, stream_problem(parts), options,
                                                [&](Index read) {
                                                  if (read >= last) throw std::runtime_error("");
                                                })),
                 std::runtime_error);
  }
}

// The factor is of other rows than the table: the rows kept at random show it.
TEST(SolveStream, TheRowsKeptAtRandomAreIndependentOfTheFactor) {
  const Report found = streamed(table(200000, 3, 0.3, 95));
  EXPECT_EQ(found.stream->checked_rows, 1024);
  // The mean of 1024 squares of uniform noise: standard deviation 0.9/32 of the mean, half of that
  // of its root.
  EXPECT_NEAR(*found.stream->checked_residual, 1.0, 6.0 * 0.9 / 64.0);
}

}  // namespace
}  // namespace polyak::test::streams
