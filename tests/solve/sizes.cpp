// Numbers of very different or extreme size: right, or a clear word.

#include <cmath>

#include "polyak/error.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::sizes {
namespace {

TEST(sizes, of_right_hand_sides_too_far_apart_are_refused) {
  const Rows A = random(50, 3, 11);
  Rows b(50, 2);
  b << random(50, 1, 12), 1e-170 * random(50, 1, 13);
  try {
    (void)solve(Problem(data(A, b)), with_method("lsqr"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_EQ(error.parts().where, "b, column 2");
  }
  b.col(1) *= 1e70;  // 1e-100 is not too far
  const Rows x = solution(solve(Problem(data(A, b)), with_method("lsqr")));
  const Rows expected = qr_solution(A, b.col(1) * 1e100);
  EXPECT_LE((x.col(1) * 1e100 - expected).norm(), 1e-6 * expected.norm());
  b.col(0) *= 1e-60;
  b.col(1) *= 1e-21;  // 1e-60 and 1e-121
  const Rows small = solution(solve(Problem(data(A, b)), with_method("lsqr")));
  EXPECT_LE((small.col(1) * 1e121 - expected).norm(), 1e-6 * expected.norm());
  b.col(1).setZero();
  EXPECT_EQ(solution(solve(Problem(data(A, b)), with_method("lsqr"))).col(1).norm(), 0.0);
}

TEST(sizes, beyond_all_reason_that_can_be_solved_are) {
  const Rows A = random(80, 3, 14), x = random(3, 1, 15), b = A * x + 0.1 * random(80, 1, 16);
  const Rows expected = qr_solution(A, b);
  ProblemData heavy = data(A, b);
  heavy.weights.assign(80, 1e306);
  ProblemData tiny = data(1e-160 * A, b);
  tiny.ridge = 1.0;
  ProblemData bounded = data(A, 1e-170 * b);
  bounded.lower = {1.0};
  for (const std::string method : {"auto", "direct", "lsqr"}) {
    const Report report = solve(Problem(heavy), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << report.reason;
    EXPECT_LE((solution(report) - expected).norm(), 1e-6 * expected.norm()) << method;
    const Report small = solve(Problem(tiny), with_method(method));
    EXPECT_EQ(small.status, Status::converged) << method << small.reason;
    // Aᵀb is below the tolerance beside the ridge.
    EXPECT_EQ(solution(small).norm(), 0.0) << method;
  }
  const Report at_bound = solve(Problem(bounded), with_method("auto"));
  EXPECT_EQ(at_bound.status, Status::converged) << at_bound.reason;
  EXPECT_GE(solution(at_bound).minCoeff(), 1.0);
}

// The bound is a part of the residual of every right-hand side.
// Without a unit of its own the ridge of the zero column would be the largest number of the matrix.
TEST(sizes, of_a_ridge_do_not_hide_columns_beside_one_of_zeros) {
  for (const double size : {1e3, 1e8, 1e15}) {
    Rows A = random(30, 3, 41);
    A.col(0) *= size;
    A.col(1).setZero();
    ProblemData parts = data(A, random(30, 1, 42));
    parts.ridge = size * size;
    for (const std::string method : {"direct", "normal"}) {
      SolveOptions options = with_method(method);
      options.tol = 1e-14;
      const Report report = solve(Problem(parts), options);
      EXPECT_GE(report.used.rank.value_or(3), 2) << method << size;
      EXPECT_LE(report.used.condition.value_or(1.0), 10.0) << method << size;
      EXPECT_NE(solution(report)(0, 0), 0.0) << method << size;
    }
  }
}

TEST(sizes, of_x_beyond_all_doubles_are_no_convergence) {
  ProblemData huge = data(1e-301 * random(37, 4, 43), 1e99 * random(37, 1, 44));
  for (const bool intercept : {false, true}) {
    huge.intercept = intercept;
    for (const std::string method : {"auto", "direct", "lsqr", "normal"}) {
      const Report report = solve(Problem(huge), with_method(method));
      EXPECT_EQ(report.status, Status::diverged) << method << intercept;
      EXPECT_TRUE(solution(report).allFinite()) << method << intercept;
    }
  }
}

TEST(sizes, of_a_ridge_beside_tiny_weights_are_no_error) {
  const Rows A = random(40, 3, 45), b = random(40, 1, 46);
  ProblemData parts = data(A, b);
  parts.weights.assign(40, 1e-300);
  parts.ridge = 1e10;
  const Report report = solve(Problem(parts), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
}

TEST(sizes, of_right_hand_sides_beside_a_far_bound_are_no_reason_to_refuse) {
  const Rows A = random(20, 3, 17), b = random(20, 2, 18);
  ProblemData far = data(A, b);
  far.lower = {1e200};
  const Report report = solve(Problem(far), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_GE(solution(report).minCoeff(), 1e200);
}

class Keeper final : public Observer {
 public:
  bool snapshot_wanted(bool ending) override { return ending; }
  void snapshot(Snapshot&& snapshot) override { saved = std::move(snapshot); }
  std::optional<Snapshot> saved;
};

// normal ends without an iteration that changes x, and direct follows.
TEST(counts, of_a_run_resumed_behind_unresolved_equations_are_those_of_one_run) {
  Rows A = random(300, 8, 17);
  A.col(1) = A.col(0) + 1e-8 * A.col(1);
  const Problem problem(data(A, random(300, 1, 18)));
  SolveOptions options = with_method("auto");
  const Report whole = solve(problem, options);
  ASSERT_EQ(whole.stages.size(), 2u);
  options.max_iterations = 1;
  Keeper keeper;
  (void)solve(problem, options, &keeper);
  ASSERT_TRUE(keeper.saved);
  options.max_iterations.reset();
  const Report resumed = solve(problem, options, nullptr, &*keeper.saved);
  EXPECT_EQ(resumed.iterations, whole.iterations);
  EXPECT_EQ(resumed.row_products, whole.row_products);
  EXPECT_EQ(solution(resumed), solution(whole));
}

}  // namespace
}  // namespace polyak::test::sizes
