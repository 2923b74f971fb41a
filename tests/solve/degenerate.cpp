// Matrices with less in them than one expects: zeros, too few rows, numbers below the normal range.

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <cmath>

#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

std::vector<std::string> all_methods() {
  std::vector<std::string> out{"auto"};
  for (const MethodInfo& info : method_table()) out.push_back(info.name);
  return out;
}

bool needs_bounds(const std::string& method) {
  return method == "active-set" || method == "bounded-cg";
}

// Every x is a solution, so the start is one; a ridge term wants 0.
TEST(a_matrix_of_zeros, leaves_x_at_its_start_whatever_b_is) {
  for (const std::string& method : all_methods()) {
    for (const double b : {0.0, 2.5}) {
      ProblemData parts = data(Rows::Zero(6, 3), Rows::Constant(6, 1, b));
      parts.x0 = Array({1.5, -2.0, 0.25}, 3);
      if (needs_bounds(method)) parts.lower = {-10.0};
      const Report report = solve(Problem(parts), with_method(method));
      EXPECT_EQ(report.status, Status::converged) << method;
      EXPECT_EQ(report.reason, "A is zero: every x is a solution") << method;
      EXPECT_EQ(solution(report)(0), 1.5) << method;
      EXPECT_EQ(solution(report)(2), 0.25) << method;
    }
  }
}

TEST(columns_of_zeros, of_a_sparse_matrix_keep_their_start_with_auto_and_are_told) {
  std::vector<Triplet> entries;
  const Rows dense = random(60, 4, 7);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 4; ++j)
      if (j != 2) entries.push_back({i, j, dense(i, j)});
  ProblemData parts;
  parts.A = csr_from_triplets(entries, 60, 4);
  parts.b = array(random(60, 1, 8));
  parts.x0 = Array({0.0, 0.0, 7.5, 0.0}, 4);
  const Report report = solve(Problem(parts), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(solution(report)(2), 7.5);
  EXPECT_EQ(report.zero_columns, 1);
}

// Against the complete orthogonal decomposition of Eigen: wide, of rank 3 of 6 rows, consistent.
TEST(a_wide_matrix_of_low_rank, is_solved_by_the_x_of_least_norm) {
  const Rows A = random(6, 3, 5) * random(3, 15, 6);
  const Rows b = A * random(15, 1, 7);
  const Rows least = least_norm_solution(A, b);
  for (const char* method : {"auto", "direct", "normal", "cg", "cgls", "lsqr", "gd", "hbm", "nag",
                             "rk", "minibatch-hbm"}) {
    SolveOptions options = ample(method);
    options.tol = 1e-11;
    const Report report = solve(Problem(data(A, b)), options);
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    // The tolerance is of the residual: x may be worse by the condition of A, about 20 here.
    EXPECT_LE((solution(report) - least).norm(), 1e-8 * least.norm()) << method;
  }
}

TEST(a_wide_matrix_of_low_rank, is_told_so) {
  const Rows A = random(6, 3, 5) * random(3, 15, 6);
  const Report report = solve(Problem(data(A, A * random(15, 1, 7))), with_method("direct"));
  EXPECT_EQ(report.used.rank, 3);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].find("rank 3 of 15 columns"), std::string::npos)
      << report.warnings[0];
}

unsigned floating_mode() {
#ifdef __SSE2__
  return _mm_getcsr() & ~0x3fu;  // without what arithmetic has raised
#else
  return 0;
#endif
}

// With A and b below the normal range: x is the one of the problem scaled up, as good as the few
// bits that are left of each number (2^-15 of them at 1e-310) allow.
TEST(numbers_below_the_normal_range, are_solved_and_the_mode_of_the_caller_stays) {
  const Rows A = random(200, 4, 3), b = A * random(4, 1, 4);
  constexpr double tiny = 1e-310;
  const unsigned before = floating_mode();
  for (const char* method : {"auto", "direct", "normal", "lsqr", "minibatch-hbm", "rk"}) {
    const Report usual = solve(Problem(data(A, b)), ample(method));
    const Report small = solve(Problem(data(tiny * A, tiny * b)), ample(method));
    EXPECT_EQ(floating_mode(), before) << method;
    ASSERT_TRUE(solution(small).allFinite()) << method;
    EXPECT_LE((solution(small) - solution(usual)).norm(), 1e-3 * solution(usual).norm()) << method;
  }
}

TEST(numbers_below_the_normal_range, of_one_column_alone_do_not_spoil_the_others) {
  Rows A = random(200, 4, 3);
  A.col(3) *= 1e-310;
  const Rows x = random(4, 1, 4);
  const Report report = solve(Problem(data(A, A * x)), with_method("auto"));
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(solution(report)(j), x(j), 1e-6);
}

}  // namespace
}  // namespace polyak::test
