// Rows that are read once give the solution, rank, norms and statistics of a solve in memory, and
// the report's bounds hold.

#include "polyak/solve_stream.hpp"

#include <cmath>
#include <stdexcept>

#include "support/streams.hpp"

namespace polyak::test::streams {
namespace {

struct Case {
  std::string name;
  ProblemData parts;
};

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
