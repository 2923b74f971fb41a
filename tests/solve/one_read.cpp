// Normal equations read A once; what the report says about x then follows from AᵀA with a bound,
// and agrees with what a read of A gives.

#include <cmath>

#include "method/record.hpp"
#include "solve/run/driver.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::one_read {
namespace {

struct Case {
  std::string name;
  ProblemData parts;
};

// Columns of norms from 1 to `ratio`; `noise` relative to b.
ProblemData table(Index n, Index d, double noise, unsigned seed, double ratio = 1.0,
                  Index sides = 1) {
  Rows A = random(n, d, seed), x = random(d, sides, seed + 1);
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
  for (Index i = 0; i < n; ++i) out[to_size(i)] = 0.25 + static_cast<double>(i % 7);
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"plain", table(3000, 12, 0.1, 1)});
  out.push_back({"several right-hand sides", table(2000, 9, 0.1, 4, 1.0, 3)});
  out.push_back({"columns of different size", table(2500, 10, 0.3, 7, 1e8)});
  out.push_back({"little noise", table(4000, 8, 1e-3, 10)});
  out.push_back({"weights", table(2000, 11, 0.2, 13)});
  out.back().parts.weights = some_weights(2000);
  out.push_back({"ridge", table(1500, 14, 0.1, 16)});
  out.back().parts.ridge = 30.0;
  out.push_back({"intercept", table(1800, 6, 0.1, 19)});
  out.back().parts.intercept = true;
  out.push_back({"intercept, ridge, weights, scale", table(1800, 6, 0.1, 22, 1e6)});
  out.back().parts.intercept = true;
  out.back().parts.ridge = 5.0;
  out.back().parts.weights = some_weights(1800);
  return out;
}

double reads(const Report& report, const Problem& problem) {
  return report.bytes_read / problem.A().bytes();
}

// ‖√W(Ax − b)‖ of the x in a report.
double residual_of(const Problem& problem, const Report& report) {
  const Index n = problem.rows(), c = problem.right_hand_sides();
  const Array x = transposed(report.x.view());
  std::vector<double> y(to_size(n * c));
  problem.A().multiply(0, n, {x.view().data, c, problem.cols(), problem.cols()},
                       {y.data(), n, c, c});
  double sum = 0.0;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < c; ++k) {
      const double r = y[to_size(i * c + k)] - problem.b()(i, k);
      sum += (problem.weights().empty() ? 1.0 : problem.weights()[to_size(i)]) * r * r;
    }
  return std::sqrt(sum);
}

TEST(normal_equations, read_A_once_and_say_how_the_tolerance_was_tested) {
  for (Case& one : cases()) {
    const Problem problem(std::move(one.parts));
    const Report report = solve(problem, with_method("normal"));
    EXPECT_EQ(report.status, Status::converged) << one.name << ": " << report.reason;
    EXPECT_DOUBLE_EQ(reads(report, problem), 1.0) << one.name;
    EXPECT_EQ(report.passes, 1.0) << one.name;
    EXPECT_EQ(report.measured_row_products, 0) << one.name;
    EXPECT_TRUE(report.verified.starts_with("from A'A")) << one.name << ": " << report.verified;
    EXPECT_EQ(report.history.size(), 2u);
  }
}

// direct measures on A: the same minimum, whose residual is known to second order, and an x that
// differs by the rounding of both.
TEST(normal_equations, give_the_norms_that_a_read_of_A_gives) {
  for (Case& one : cases()) {
    const Problem problem(std::move(one.parts));
    const Report by_equations = solve(problem, with_method("normal"));
    const Report measured = solve(problem, with_method("direct"));
    EXPECT_EQ(measured.verified, "measured on A");
    const double residual = residual_of(problem, by_equations);
    EXPECT_NEAR(*by_equations.residual_norm, residual, 1e-6 * residual) << one.name;
    EXPECT_NEAR(*by_equations.residual_norm, *measured.residual_norm, 1e-6 * residual) << one.name;
    EXPECT_NEAR(by_equations.history.front().residual_norm, measured.history.front().residual_norm,
                1e-12 * residual + 1e-12 * measured.history.front().residual_norm);
    const double size = solution(measured).norm();
    EXPECT_LE((solution(by_equations) - solution(measured)).norm(), 1e-9 * size) << one.name;
    EXPECT_LE(*by_equations.backward_error, 1e-8) << one.name;
  }
}

// The bound of |a_jᵀr| is about 1e-13·(‖b‖ + Σ‖a_j‖|x_j|) here: below 1e-8·‖r‖ no more.
TEST(normal_equations, read_A_again_where_the_bound_does_not_suffice) {
  for (const double noise : {1e-7, 0.0}) {
    const Problem problem(table(3000, 12, noise, 31));
    const Report report = solve(problem, with_method("normal"));
    EXPECT_EQ(report.status, Status::converged) << report.reason;
    EXPECT_EQ(report.verified, "measured on A");
    EXPECT_DOUBLE_EQ(reads(report, problem), 2.0);
    EXPECT_EQ(report.measured_row_products, problem.rows());
    EXPECT_EQ(report.passes, 1.0);
  }
}

// Beyond a condition of about 500 a second read refines x, and its gradient tests the tolerance.
TEST(normal_equations, that_are_refined_need_no_third_read) {
  ProblemData parts = consistent(3000, 10, 5, 1e8);  // kappa of AᵀA
  std::vector<double> b(parts.b.view().data, parts.b.view().data + 3000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += 1e-2 * std::sin(static_cast<double>(i * i));
  parts.b = Array(std::move(b), 3000);
  parts.reference = {};
  const Problem problem(std::move(parts));
  const Report report = solve(problem, with_method("normal"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_TRUE(report.verified.starts_with("from A'A")) << report.verified;
  EXPECT_DOUBLE_EQ(reads(report, problem), 2.0);
  EXPECT_EQ(report.passes, 2.0);
}

// The first solution is off by condition²·eps, here a few percent; refined steps bring it to the
// error of QR.
TEST(normal_equations, are_refined_to_the_accuracy_of_QR_as_far_as_they_are_trusted) {
  const double condition = 0.95 * max_normal_condition;
  const ProblemData parts = consistent(3000, 10, 6, condition * condition);
  const Report report = solve(Problem(parts), with_method("normal"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  ASSERT_TRUE(report.error);
  EXPECT_LE(*report.error, 50.0 * 0x1p-52 * condition);
}

// A tolerance below the bound can be proved by no sum of this length.
TEST(normal_equations, do_not_claim_a_tolerance_below_their_rounding) {
  const Problem problem(table(3000, 12, 0.1, 34));
  SolveOptions options = with_method("normal");
  options.tol = 1e-14;
  EXPECT_EQ(solve(problem, options).verified, "measured on A");
}

// The centre of sparse columns is a term of rank one, and products with it cancel digits.
TEST(normal_equations, of_sparse_rows_with_a_shared_centre_are_measured_on_A) {
  ProblemData parts = table(3000, 12, 0.1, 41);
  std::vector<Triplet> entries;
  for (Index i = 0; i < 3000; ++i)
    for (Index j = i % 3; j < 12; j += 2)
      entries.push_back({i, j, 3.0 + std::sin(static_cast<double>(12 * i + j))});
  parts.A = csr_from_triplets(entries, 3000, 12);
  parts.intercept = true;
  const Report report = solve(Problem(std::move(parts)), with_method("normal"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.verified, "measured on A");
}

TEST(normal_equations, from_a_start_that_solves_the_problem_are_not_formed) {
  ProblemData parts = consistent(2000, 100);
  parts.x0 = parts.reference;
  const Problem problem(std::move(parts));
  const Report report = solve(problem, with_method("normal"));
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_DOUBLE_EQ(reads(report, problem), 2.0);
  EXPECT_EQ(report.passes, 0.0);
}

TEST(normal_equations, of_rows_on_several_ranks_are_read_once) {
  const ProblemData whole = table(2000, 10, 0.2, 37);
  const Report alone = solve(Problem(whole), with_method("normal"));
  const auto reports = on_ranks<Report>(
      3, whole, [](const Problem& own) { return solve(own, with_method("normal")); });
  for (const Report& report : reports) {
    EXPECT_TRUE(report.verified.starts_with("from A'A")) << report.verified;
    EXPECT_EQ(report.measured_row_products, 0);
    EXPECT_NEAR(*report.residual_norm, *alone.residual_norm, 1e-9 * *alone.residual_norm);
    EXPECT_LE((solution(report) - solution(alone)).norm(), 1e-12 * solution(alone).norm());
  }
}

TEST(automatic, tests_a_start_of_the_user_before_it_forms_normal_equations) {
  const ProblemData noisy = table(4000, 150, 0.1, 42);
  const Rows x = solution(solve(Problem(noisy), with_method("direct")));
  ProblemData parts = noisy;
  parts.x0 = array(x);
  const Report report = solve(Problem(std::move(parts)), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_EQ(report.method, "normal");
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.verified, "measured on A");
  EXPECT_EQ(solution(report), x);
}

TEST(automatic, reads_noisy_rows_once_and_little_more) {
  const Problem problem(table(100000, 20, 0.1, 40));
  const Report report = solve(problem, with_method("auto"));
  EXPECT_EQ(report.method, "normal");
  EXPECT_TRUE(report.verified.starts_with("from A'A")) << report.verified;
  EXPECT_LE(reads(report, problem), 1.02);
}

}  // namespace
}  // namespace polyak::test::one_read
