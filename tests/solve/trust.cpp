// "Converged" stands for an x that one can use: cases in which x had passed a test of the residual
// although it was wrong.

#include <cmath>

#include "polyak/error.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::trust {
namespace {

// Start and duration in milliseconds, the end, a concentration and a temperature: the third column
// is the sum of the first two, and units span twenty powers of ten.
struct Measured {
  Rows A{1000, 5}, b;
  Measured() {
    const Rows u = random(1000, 4, 1).cwiseAbs();
    A << 1.7e12 + (3e10 * u.col(0)).array().floor(), (1e9 * u.col(1)).array().floor(),
        Rows::Zero(1000, 1), 1e-7 * (1.0 + 8.0 * u.col(2).array()), 10.0 + 20.0 * u.col(3).array();
    A.col(2) = A.col(0) + A.col(1);
    b = 5.0 + 2e-9 * A.col(1).array() + 3e7 * A.col(3).array() + 0.5 * A.col(4).array();
    b += 0.1 * random(1000, 1, 2);
  }
};

// Without the dependent column the columns of this table are independent once they are centred.
double least_residual(const Measured& table) {
  Rows C(1000, 4);
  C << table.A.leftCols(2), table.A.rightCols(2);
  C.rowwise() -= C.colwise().mean().eval();
  for (Index j = 0; j < 4; ++j) C.col(j) /= C.col(j).norm();
  const Rows y = table.b.array() - table.b.mean();
  return (y - C * Rows(qr_solution(C, y))).norm();
}

TEST(answers, of_dependent_columns_in_units_far_apart_fit_as_well_as_any) {
  const Measured table;
  ProblemData parts = data(table.A, table.b);
  parts.intercept = true;
  const double least = least_residual(table);
  for (const std::string method : {"auto", "normal", "direct"}) {
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.used.rank, 5) << method;
    EXPECT_LE(*report.residual_norm, 1.000001 * least) << method;
    const Rows x = solution(report);
    EXPECT_NEAR(x(4, 0), 0.5, 0.01) << method;
    // Of least norm: along (1, 1, -1), the null space, nothing is left.
    EXPECT_LE(std::abs(x(0, 0) + x(1, 0) - x(2, 0)), 1e-6 * x.topRows(3).norm()) << method;
  }
}

// Noise of 1e-9 passes the tolerance in every row, but not in x: two columns are 1e-10 apart.
TEST(answers, of_a_look_are_taken_only_where_noise_cannot_have_grown_in_x) {
  Rows A = random(30000, 30, 3);
  A.col(1) = A.col(0) + 1e-10 * A.col(1);
  const Rows y = A.rowwise().sum(), b = y + 1e-9 * y.norm() / std::sqrt(3e4) * random(30000, 1, 4);
  const Report by_qr = solve(Problem(data(A, b)), with_method("direct"));
  const Report report = solve(Problem(data(A, b)), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE((solution(report) - solution(by_qr)).norm(), 1e-3 * solution(by_qr).norm());
  EXPECT_GT(report.used.condition.value_or(0.0), 1e9);
  EXPECT_FALSE(report.warnings.empty());
}

// Without noise the look is the answer, and its condition is told.
TEST(answers, of_a_look_tell_rank_and_condition) {
  Rows A = random(30000, 30, 5);
  A.col(1) = A.col(0) + 1e-4 * A.col(1);
  const Report report = solve(Problem(data(A, A.rowwise().sum())), with_method("auto"));
  EXPECT_EQ(report.method, "subset-direct");
  EXPECT_EQ(report.used.rank, 30);
  EXPECT_NEAR(std::log10(report.used.condition.value_or(1.0)), 4.3, 0.5);
  EXPECT_LE((solution(report) - Rows::Ones(30, 1)).norm(), 1e-8);
}

TEST(answers, after_a_factorisation_do_not_grow_along_the_null_space) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Rows Z = random(60, 5, seed);
    Rows A(60, 7);
    A << Z, Z.leftCols(2) + Z.middleCols(2, 2);
    const Rows b = Z.rowwise().sum() + 1e-7 * random(60, 1, 100 + seed);
    SolveOptions options = with_method("auto");
    options.tol = 1e-10;
    const Report report = solve(Problem(data(A, b)), options);
    EXPECT_LE(solution(report).norm(), 2.0 * least_norm_solution(A, b).norm()) << seed;
    EXPECT_EQ(report.used.rank, 5) << seed;
  }
}

// x grows by up to 1e5 in scaled units on the way to the one of least norm in the user's: A·N is
// rounding, and the fit stays.
TEST(answers, of_dependent_columns_are_of_least_norm_also_where_that_is_far) {
  for (const double part : {1e-2, 1e-4, 1e-5}) {
    const Rows u = random(50, 2, 21), noise = random(50, 1, 22);
    Rows A(50, 3);
    A << 1e-6 * u.col(0), u.col(1), -(u.col(1) + part * u.col(0));
    for (const double size : {0.0, 0.1}) {
      const Rows b = u.rowwise().sum() + size * noise;
      const Rows expected = least_norm_solution(A, b);
      for (const std::string method : {"direct", "normal"}) {
        const Report report = solve(Problem(data(A, b)), with_method(method));
        const Rows x = solution(report);
        EXPECT_EQ(report.status, Status::converged) << method << part;
        EXPECT_EQ(report.used.rank, 2) << method << part;
        EXPECT_LE(x.norm(), 1.001 * expected.norm()) << method << part;
        EXPECT_LE((A * x - b).norm(), (A * expected - b).norm() + 1e-9 * b.norm())
            << method << part;
      }
    }
  }
}

// Here it is so far that rounding would spoil the fit: the fit is kept, and the report says so.
TEST(answers, of_least_norm_that_would_not_fit_are_not_taken) {
  const Rows u = random(50, 2, 23);
  Rows A(50, 3);
  A << 1e-12 * u.col(0), u.col(1), -(u.col(1) + 1e-9 * u.col(0));
  const Rows b = u.rowwise().sum() + 1e-5 * random(50, 1, 24);
  const Report report = solve(Problem(data(A, b)), with_method("direct"));
  Rows independent(50, 2);
  independent << u.col(0), u.col(1);
  EXPECT_LE(*report.residual_norm,
            1.000001 * (independent * qr_solution(independent, b) - b).norm());
  EXPECT_EQ(report.status, Status::converged);
}

TEST(answers, that_are_unique_do_not_depend_on_the_start) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Rows A = random(200, 3, seed);
    A.col(0).setOnes();
    A.col(1) = 1.7e9 + 15.0 * A.col(1).array();
    Rows truth(3, 1);
    truth << 5.0, 1e-9, 2.0;
    ProblemData parts = data(A, A * truth + 1e-7 * random(200, 1, 50 + seed));
    const Rows expected = solution(solve(Problem(parts), with_method("direct")));
    parts.x0 = array(Rows::Ones(3, 1));
    for (const std::string method : {"direct", "auto"}) {
      const Report report = solve(Problem(parts), with_method(method));
      EXPECT_EQ(report.status, Status::converged) << method << seed;
      EXPECT_LE((solution(report) - expected).norm(), 1e-6 * expected.norm()) << method << seed;
    }
  }
}

struct Constant {
  Rows A = random(200, 2, 7), start = Rows::Zero(3, 1);
  ProblemData parts;
  Constant() {
    A.col(0).setOnes();
    start(0, 0) = 100.0;
    parts = data(A, A.rowwise().sum() + Rows::Constant(200, 1, 5.0));
    parts.intercept = true;
    parts.x0 = array(start);
  }
};

TEST(constant_columns, beside_an_intercept_keep_their_bounds) {
  Constant problem;
  problem.parts.lower = {1.0};
  problem.parts.upper = {3.0};
  for (const std::string method : {"auto", "active-set", "bounded-cg", "nag", "gd"}) {
    const Report report = solve(Problem(problem.parts), with_method(method));
    const Rows x = solution(report);
    EXPECT_EQ(x(0, 0), 3.0) << method;
    EXPECT_NEAR(x(1, 0), 1.0, 1e-6) << method;
    EXPECT_NEAR(x(0, 0) + x(2, 0), 6.0, 1e-6) << method;
  }
}

TEST(constant_columns, beside_an_intercept_are_0_with_a_ridge_and_told_by_their_name) {
  Constant problem;
  problem.parts.ridge = 1.0;
  for (const std::string method : {"auto", "direct", "cg", "cgls", "hbm"}) {
    const Report report = solve(Problem(problem.parts), with_method(method));
    EXPECT_EQ(solution(report)(0, 0), 0.0) << method;
    ASSERT_FALSE(report.warnings.empty()) << method;
    EXPECT_NE(report.warnings[0].find("constant"), std::string::npos) << report.warnings[0];
  }
  problem.parts.ridge = 0.0;
  const Report report = solve(Problem(problem.parts), with_method("direct"));
  ASSERT_EQ(report.dependent_columns.size(), 1u);
  EXPECT_EQ(report.dependent_columns[0].column, 0);
  EXPECT_EQ(report.dependent_columns[0].on, std::vector<Index>{2});
}

// Two times 1.7e12 milliseconds apart from zero, and a few from each other.
TEST(intercepts, are_centring_whatever_the_weights) {
  Rows A = random(2000, 3, 8);
  A.col(1) = 1.7e12 + (500.0 * A.col(1)).array().floor();
  A.col(2) = A.col(1).array() + (2.0 * A.col(2)).array().floor();
  const Rows b =
      3.0 * A.col(0).array() + 0.1 * (A.col(1).array() - 1.7e12) + random(2000, 1, 9).array();
  ProblemData parts = data(A, b);
  parts.intercept = true;
  const Rows expected = solution(solve(Problem(parts), with_method("direct")));
  for (const double weight : {100.0, 1e-6, 1e200}) {
    parts.weights.assign(2000, weight);
    for (const std::string method : {"auto", "lsqr", "direct"}) {
      const Rows x = solution(solve(Problem(parts), with_method(method)));
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(x(j, 0), expected(j, 0), 1e-5 * std::abs(expected(j, 0))) << method << weight;
    }
  }
}

TEST(intercepts, are_centring_beside_a_column_of_any_size) {
  for (const double size : {1e160, 1e-250}) {
    Rows A = random(500, 2, 10);
    A.col(0) = 1e6 + A.col(0).array();
    ProblemData parts = data(A, A.rowwise().sum());
    A.col(1) *= size;
    parts.A = matrix(A);
    parts.intercept = true;
    for (const std::string method : {"auto", "lsqr"}) {
      const Rows x = solution(solve(Problem(parts), with_method(method)));
      EXPECT_NEAR(x(0, 0), 1.0, 1e-6) << method << size;
      EXPECT_NEAR(x(1, 0) * size, 1.0, 1e-6) << method << size;
    }
  }
}

// The inverse of the sketch's factor is larger than any double.
TEST(answers, of_a_sketch_of_rank_2_are_no_internal_error) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Index n = 20 + static_cast<Index>(seed % 3) * 8;
    Rows A = Rows::Zero(n, 20);
    A.row(8) = random(1, 20, seed).cwiseAbs();
    A.row(11) = random(1, 20, 100 + seed).cwiseAbs();
    EXPECT_NO_THROW(
        (void)solve(Problem(data(A, random(n, 1, 200 + seed))), with_method("sketch-hbm")))
        << seed;
  }
}

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
}  // namespace polyak::test::trust
