// `solve` with nothing said: it must find the least squares solution, and tell
// what it did.

#include <cmath>

#include "solve/auto/row_subset.hpp"
#include "solve/auto/subset_stages.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// Large enough that factoring A at once is not the cheapest.
constexpr Index n = 60000, d = 64;

Rows orthonormal(Index rows, Index cols, unsigned seed) {
  const Rows G = random(rows, cols, seed);
  return test::orthonormal(G);
}

// Singular values from 1 to 1/condition.
Rows with_condition(double condition, unsigned seed) {
  Eigen::VectorXd s(d);
  for (Index j = 0; j < d; ++j)
    s(j) = std::pow(condition, -static_cast<double>(j) / static_cast<double>(d - 1));
  return orthonormal(n, d, seed) * s.asDiagonal() * orthonormal(d, d, seed + 1).transpose();
}

Rows least_squares(const Rows& A, const Rows& b) { return qr_solution(A, b); }

double relative(const Rows& found, const Rows& expected) {
  return (found - expected).norm() / expected.norm();
}

SolveOptions automatic(Index threads = 1) {
  SolveOptions options;
  options.threads = threads;
  return options;
}

TEST(automatic, solves_consistent_data_from_a_few_rows_and_checks_all) {
  const Rows A = with_condition(100.0, 1), x = random(d, 1, 2);
  const Report report = solve(Problem(data(A, A * x)), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.method, "subset-direct");
  EXPECT_EQ(report.certified, "full");
  EXPECT_LE(*report.backward_error, 1e-13);
  EXPECT_LE(relative(solution(report), x), 1e-11);
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[1].method, "check");
}

TEST(automatic, certified_by_samples_reads_a_small_part_and_says_estimated) {
  const Rows A = with_condition(100.0, 1), x = random(d, 1, 2);
  SolveOptions options = automatic();
  options.certify = "sampled";
  const Problem problem(data(A, A * x));
  const Report report = solve(problem, options);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_EQ(report.certified, "sampled");
  EXPECT_EQ(report.reason.rfind("estimated", 0), 0u) << report.reason;
  EXPECT_LE(relative(solution(report), x), 1e-11);
  EXPECT_LT(report.bytes_read, 0.05 * problem.A().bytes());
  EXPECT_FALSE(report.residual_norm.has_value());  // nobody measured it
}

TEST(automatic, certified_by_samples_reads_all_of_inconsistent_data) {
  const Rows A = with_condition(10.0, 3), b = A * random(d, 1, 4) + 0.1 * random(n, 1, 5);
  SolveOptions options = automatic();
  options.certify = "sampled";
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_EQ(report.certified, "full");
  EXPECT_LE(relative(solution(report), least_squares(A, b)), 1e-10);
}

// Too many columns for QR of some rows: normal equations of some rows tell as much.
TEST(automatic, solves_consistent_data_of_many_columns_from_normal_equations_of_some_rows) {
  const Rows A = random(24000, 256, 41), x = random(256, 1, 42);
  const Report report = solve(Problem(data(A, A * x)), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.method, "subset-normal");
  EXPECT_EQ(report.certified, "full");
  EXPECT_LE(relative(solution(report), x), 1e-11);
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[1].method, "check");

  const Rows b = A * x + 0.1 * random(24000, 1, 43);
  const Report noisy = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(noisy.stages[0].method, "subset-normal");
  EXPECT_EQ(noisy.status, Status::converged) << noisy.reason;
  EXPECT_LE(relative(solution(noisy), least_squares(A, b)), 1e-6);
}

TEST(automatic, a_look_by_normal_equations_that_tells_nothing_leads_to_QR) {
  Rows A = random(24000, 256, 44);
  A.col(255) = A.col(0) + 1e-9 * A.col(255);
  const Rows b = A * random(256, 1, 45) + 1e-6 * random(24000, 1, 46);
  const Report report = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(report.stages[0].method, "subset-normal");
  EXPECT_NE(report.stages[0].outcome.find("ill-conditioned"), std::string::npos);
  EXPECT_EQ(report.method, "direct");
  // Each entry of the residual is rounded by about 4 eps of |A||x|.
  const Rows x = solution(report);
  const double rounding = 4.0 * 0x1p-53 * (A.cwiseAbs() * x.cwiseAbs()).norm();
  EXPECT_LE((A * x - b).norm(), (A * least_squares(A, b) - b).norm() + rounding);
}

TEST(automatic, fits_noisy_data_as_qr_does) {
  for (double condition : {10.0, 1e3, 1e5}) {
    const Rows A = with_condition(condition, 6), b = A * random(d, 1, 7) + 1e-3 * random(n, 1, 8);
    const Report report = solve(Problem(data(A, b)), automatic());
    EXPECT_EQ(report.status, Status::converged) << report.reason;
    // QR itself is off by some condition·eps·(|x| + condition·|r|/|A|).
    const double r = (A * least_squares(A, b) - b).norm();
    const double allowed = 100.0 * 0x1p-52 * condition * (1.0 + condition * r);
    EXPECT_LE(relative(solution(report), least_squares(A, b)), std::max(allowed, 1e-11))
        << "condition " << condition << ", " << report.method;
  }
}

TEST(automatic, is_as_accurate_as_qr_where_the_normal_equations_fail) {
  const Rows A = with_condition(1e9, 9), x = random(d, 1, 10);
  Rows r = 1e-6 * random(n, 1, 11);
  const Rows b = A * x + r;
  const Report report = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_NE(report.method, "normal");
  const Rows qr = least_squares(A, b);
  const double best = (A * qr - b).norm();
  EXPECT_LE((A * solution(report) - b).norm(), best * (1.0 + 1e-12));
}

TEST(automatic, doubts_a_small_residual_where_a_factor_shows_bad_conditioning) {
  // Too small for a look at some rows first, too large to be factored at once.
  const Rows U = orthonormal(4000, 200, 32), V = orthonormal(200, 200, 33);
  Eigen::VectorXd s(200);
  for (Index j = 0; j < 200; ++j) s(j) = std::pow(1e-10, static_cast<double>(j) / 199.0);
  const Rows A = U * s.asDiagonal() * V.transpose(),
             b = A * random(200, 1, 34) + 1e-3 * random(4000, 1, 35);
  const Report report = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(report.method, "direct");
  // Each entry of the residual is rounded by about 4 eps of |A||x|.
  const Rows x = solution(report);
  const double rounding = 4.0 * 0x1p-53 * (A.cwiseAbs() * x.cwiseAbs()).norm();
  EXPECT_LE((A * x - b).norm(), (A * least_squares(A, b) - b).norm() + rounding);
}

TEST(automatic, is_not_fooled_by_an_x_that_noise_has_blown_up) {
  const Rows A = with_condition(1e10, 12), b = A * random(d, 1, 13) + 1e-3 * random(n, 1, 14);
  ThreadTeam team(1);
  const auto trial = try_subset(Problem(data(A, b)), 10 * d, automatic(), team);
  ASSERT_TRUE(trial.has_value());
  EXPECT_FALSE(trial->consistent(1e-8));
}

TEST(automatic, finds_a_few_heavy_rows_that_contradict_the_rest) {
  Rows A = with_condition(10.0, 15);
  Rows b = A * random(d, 1, 16);
  for (Index i = 0; i < 20; ++i) {
    A.row(3000 * i) *= 1000.0;
    b(3000 * i) = 500.0 + static_cast<double>(i);
  }
  const Report report = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_GE(report.stages.size(), 2u);
  EXPECT_LE(relative(solution(report), least_squares(A, b)), 1e-9);
}

TEST(automatic, gives_the_least_norm_solution_where_columns_repeat) {
  Rows A = with_condition(10.0, 17);
  A.col(5) = A.col(40);
  const Rows b = A * random(d, 1, 18) + 0.01 * random(n, 1, 19);
  const Report report = solve(Problem(data(A, b)), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  const Rows x = solution(report);
  EXPECT_NEAR(x(5), x(40), 1e-9);
  EXPECT_LE(relative(x, least_norm_solution(A, b)), 1e-9);
}

TEST(automatic, solves_wide_small_bounded_and_ridged_problems) {
  const Rows wide = random(40, 700, 20), b = random(40, 1, 21);
  EXPECT_LE(
      relative(solution(solve(Problem(data(wide, b)), automatic())), least_norm_solution(wide, b)),
      1e-9);
  const Rows A = with_condition(10.0, 22), y = random(n, 1, 23);
  ProblemData ridged = data(A, y);
  ridged.ridge = 0.5;
  const Rows H = A.transpose() * A + 0.5 * Rows::Identity(d, d);
  EXPECT_LE(
      relative(solution(solve(Problem(ridged), automatic())), spd_solution(H, A.transpose() * y)),
      1e-10);
  ProblemData bounded = data(random(500, 5, 24), random(500, 1, 25));
  bounded.lower = {0.0};
  const Report report = solve(Problem(bounded), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_GE(solution(report).minCoeff(), 0.0);
}

TEST(automatic, gives_the_same_bits_for_any_number_of_threads) {
  const Rows A = with_condition(1e3, 26), b = A * random(d, 2, 27) + 1e-2 * random(n, 2, 28);
  const Problem problem(data(A, b));
  const Rows one = solution(solve(problem, automatic(1)));
  for (Index threads : {2, 3}) EXPECT_EQ(one, solution(solve(problem, automatic(threads))));
}

TEST(automatic, refuses_options_that_none_of_its_methods_would_heed) {
  SolveOptions options = automatic();
  options.batch_size = 100;
  EXPECT_THROW((void)solve(Problem(consistent()), options), Error);
}

TEST(automatic, alone_certifies_by_samples) {
  SolveOptions options = with_method("lsqr");
  options.certify = "sampled";
  EXPECT_THROW((void)solve(Problem(consistent()), options), Error);
}

// Too few rows for a look: nobody knows how many iterations cg will take.
TEST(automatic, tries_cg_where_nothing_is_known_and_leaves_it_where_it_is_slow) {
  const Index rows = 400, cols = 8000;
  const Rows A = random(rows, cols, 41);
  Rows graded = A;
  for (Index i = 0; i < rows; ++i)
    graded.row(i) *= std::pow(1e-3, static_cast<double>(i) / static_cast<double>(rows - 1));
  for (const bool slow : {false, true}) {
    const Rows& M = slow ? graded : A;
    const Rows b = M * random(cols, 1, 43);
    const Report report = solve(Problem(data(M, b)), automatic());
    EXPECT_EQ(report.status, Status::converged) << report.reason;
    ASSERT_FALSE(report.stages.empty());
    EXPECT_EQ(report.stages[0].method, "cg");
    EXPECT_EQ(report.method == "cg", !slow) << report.method;
    const Rows shortest = M.transpose() * spd_solution(M * M.transpose(), b);
    EXPECT_LE(relative(solution(report), shortest), 1e-6);
  }
}

TEST(automatic, keeps_to_limits) {
  const Rows A = with_condition(10.0, 29), b = A * random(d, 1, 30) + 0.1 * random(n, 1, 31);
  SolveOptions options = automatic();
  options.max_iterations = 0;
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_EQ(report.status, Status::limit) << report.reason;
  EXPECT_EQ(report.iterations, 0);
}

SolveOptions seeded(unsigned seed) {
  SolveOptions options = automatic();
  options.seed = seed;
  return options;
}

// 200 of each kind, ‖r*‖/‖b‖ from 1e-6 to 1: at most 2 false calls either way.
TEST(consistency, is_told_from_a_few_rows) {
  ThreadTeam team(1);
  int called_inconsistent = 0, called_consistent = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Index cols = 2 + seed % 30;
    const Rows A = random(3000, cols, seed), exact = A * random(cols, 1, seed + 1000);
    const Rows noise = random(3000, 1, seed + 2000);
    const double level = std::pow(10.0, -6.0 * static_cast<double>(seed) / 199.0);
    const Rows noisy = exact + level * exact.norm() / noise.norm() * noise;
    const auto clean = try_subset(Problem(data(A, exact)), 10 * cols, seeded(seed), team);
    const auto dirty = try_subset(Problem(data(A, noisy)), 10 * cols, seeded(seed), team);
    called_inconsistent += !clean->consistent(1e-8);
    called_consistent += dirty->consistent(1e-8);
  }
  EXPECT_LE(called_inconsistent, 2);
  EXPECT_LE(called_consistent, 2);
}

TEST(random_rows, are_different_ascending_and_avoid_those_taken) {
  const auto first = random_rows(1000, 300, 7, 0);
  const auto second = random_rows(1000, 300, 7, 1, first);
  ASSERT_EQ(first.size(), 300u);
  for (const auto& rows : {first, second})
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<Index>()),
              rows.end());
  for (Index row : second) EXPECT_FALSE(std::binary_search(first.begin(), first.end(), row));
  EXPECT_EQ(first, random_rows(1000, 300, 7, 0));
  EXPECT_NE(first, random_rows(1000, 300, 8, 0));
}

TEST(random_rows, are_each_equally_likely) {
  // 2000 draws of 10 of 50 rows: each row 400 times, variance under 400; five
  // standard deviations, 50 rows: 1 in 35000 to fail for a right sampler.
  std::vector<int> seen(50, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (Index row : random_rows(50, 10, seed, 0)) ++seen[static_cast<std::size_t>(row)];
  for (int count : seen) EXPECT_NEAR(count, 400, 100);
}

}  // namespace
}  // namespace polyak::test
