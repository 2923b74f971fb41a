// b far from zero beside an intercept: its level is a part of the intercept, not of the tolerance.

#include <cmath>
#include <numeric>

#include "polyak/ranks.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::levels {
namespace {

constexpr Index n = 2000, d = 4;

ProblemData table(double level, double noise, Index sides = 1) {
  const Rows A = random(n, d, 51), x = random(d, sides, 52);
  ProblemData parts = data(A, (A * x + noise * random(n, sides, 53)).array() + level);
  parts.intercept = true;
  return parts;
}

// The same without the level, by QR of the centred columns: slopes, one column a side.
Rows slopes_of(const ProblemData& parts) {
  const ConstView b = parts.b.view();
  Rows A(n, d), y(n, b.cols);
  parts.A->copy_rows(0, n, {A.data(), n, d, d});
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < b.cols; ++c) y(i, c) = b(i, c) - b(0, c);
  return qr_solution(A.rowwise() - A.colwise().mean().eval(),
                     y.rowwise() - y.colwise().mean().eval());
}

std::vector<std::string> methods() {
  return {"auto", "direct", "normal", "lsqr", "cg", "cgls", "hbm", "nag", "sketch-hbm"};
}

TEST(levels, of_b_do_not_stop_a_method_before_the_slopes_are_right) {
  for (const double level : {1e3, 1e9, -1.7e12})
    for (const std::string& method : methods()) {
      const ProblemData parts = table(level, 0.5, 2);
      const Report report = solve(Problem(parts), with_method(method));
      EXPECT_EQ(report.status, Status::converged) << method << level << report.reason;
      const Rows x = solution(report), slopes = slopes_of(parts);
      // |a_j'r| <= 1e-8|a_j||r|, at a condition near 1.
      EXPECT_LE((x.topRows(d) - slopes).norm(), 1e-7 * slopes.norm()) << method << level;
      for (Index c = 0; c < 2; ++c) EXPECT_NEAR(x(d, c), level, 1.0) << method;
    }
}

TEST(levels, of_b_are_those_of_all_rows_on_several_ranks) {
  const ProblemData whole = table(1e9, 0.5);
  const Report alone = solve(Problem(whole), with_method("lsqr"));
  const auto reports = on_ranks<Report>(
      3, whole, [](const Problem& own) { return solve(own, with_method("lsqr")); });
  for (const Report& report : reports) {
    EXPECT_LE((solution(report) - solution(alone)).topRows(d).norm(), 1e-9);
    EXPECT_DOUBLE_EQ(*report.relative_residual, *alone.relative_residual);
  }
}

// relative_residual remains that of the b which the user gave.
TEST(levels, are_part_of_the_norm_of_b_in_the_report) {
  const ProblemData parts = table(1e6, 0.5);
  const Report report = solve(Problem(parts), with_method("direct"));
  double b2 = 0.0;
  for (Index i = 0; i < n; ++i) b2 += parts.b(i) * parts.b(i);
  EXPECT_NEAR(*report.relative_residual, *report.residual_norm / std::sqrt(b2),
              1e-12 * *report.relative_residual);
}

TEST(levels, are_found_in_a_start_that_is_given) {
  ProblemData parts = table(1e9, 0.5);
  const Rows x = solution(solve(Problem(parts), with_method("direct")));
  parts.x0 = array(x);
  const Report report = solve(Problem(parts), with_method("lsqr"));
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.iterations, 2);  // the intercept of the start is rounded to 1e-7
  EXPECT_LE((solution(report) - x).topRows(d).norm(), 1e-6);
}

// Statistics are of the same residuals, with and without the level.
TEST(levels, change_no_standard_error) {
  SolveOptions options = with_method("auto");
  options.statistics = true;
  const Report near = solve(Problem(table(0.0, 0.5)), options);
  const Report far = solve(Problem(table(1e9, 0.5)), options);
  ASSERT_TRUE(near.statistics && far.statistics);
  for (Index j = 0; j < d; ++j) {
    const double e = near.statistics->standard_errors(j, 0);
    EXPECT_NEAR(far.statistics->standard_errors(j, 0), e, 1e-5 * e);  // b is rounded to 1e-7
  }
  EXPECT_NEAR(*near.statistics->r_squared[0], *far.statistics->r_squared[0], 1e-6);
}

// A look that ends a run must not take noise below the level for rounding.
TEST(levels, hide_no_noise_from_a_look) {
  const Index rows = 60000;
  const Rows A = (1024.0 * random(rows, d, 54).array()).round() / 1024.0;  // b is exact
  for (const double noise : {0.5, 0.0}) {
    const Rows b = (A.rowwise().sum() + noise * random(rows, 1, 55)).array() + 0x1p30;
    ProblemData parts = data(A, b);
    parts.intercept = true;
    SolveOptions options = with_method("auto");
    options.certify = "sampled";
    const Report report = solve(Problem(parts), options);
    EXPECT_EQ(report.certified, noise > 0.0 ? "full" : "sampled");
    EXPECT_NEAR(solution(report)(0, 0), 1.0, noise > 0.0 ? 0.05 : 1e-6);
  }
}

// Rows of weight 0 have no entries: in the others the last column is constant.
TEST(sparse_columns, that_are_constant_where_rows_count_are_told_so) {
  const Index rows = 600;
  std::vector<Triplet> entries;
  const Rows values = random(rows, 3, 56), noise = 0.1 * random(rows, 1, 57);
  ProblemData parts;
  std::vector<double> b;
  for (Index i = 0; i < rows; ++i) {
    const bool counts = i % 3 != 0;
    parts.weights.push_back(counts ? 1.0 : 0.0);
    for (Index j = 0; j < 3; ++j)
      if ((i + j) % 2 == 0) entries.push_back({i, j, values(i, j)});
    if (counts) entries.push_back({i, 3, 3.097});
    double sum = 4.0 + noise(i, 0);
    for (Index j = 0; j < 3; ++j) sum += (i + j) % 2 == 0 ? values(i, j) : 0.0;
    b.push_back(counts ? sum : 1e6);
  }
  parts.A = csr_from_triplets(std::move(entries), rows, 4);
  parts.b = Array(std::move(b), rows);
  parts.intercept = true;
  for (const std::string method : {"auto", "direct", "normal", "lsqr", "cg", "sketch-hbm"}) {
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << report.reason;
    const Rows x = solution(report);
    EXPECT_EQ(x(3, 0), 0.0) << method;
    EXPECT_NEAR(x(4, 0), 4.0, 0.1) << method;
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(x(j, 0), 1.0, 0.1) << method;
  }
}

// Nothing but 0 solves it: what is left of the start by rounding is enough.
TEST(a_right_hand_side_of_zeros, is_met_from_any_start) {
  const Rows A = random(400, 8, 58);
  for (const std::string method : {"auto", "direct", "normal", "lsqr", "cg", "cgls", "hbm"}) {
    ProblemData parts = data(A, Rows::Zero(400, 1));
    parts.x0 = array(random(8, 1, 59));
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << " " << report.reason;
    EXPECT_LE(solution(report).norm(), 1e-14) << method;
  }
}

}  // namespace
}  // namespace polyak::test::levels
