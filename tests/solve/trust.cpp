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
  SolveOptions options = with_method("auto");
  options.certify = "sampled";
  const Report report = solve(Problem(data(A, A.rowwise().sum())), options);
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

// The means come from rows that have a weight, however few they are.
TEST(intercepts, are_centring_where_most_rows_have_no_weight) {
  const Index n = 20000;
  Rows A = random(n, 2, 31);
  A.col(0) = 1.7e15 + (500.0 * A.col(0).array()).floor();
  const Rows b = 1e-2 * (A.col(0).array() - 1.7e15) + A.col(1).array();
  ProblemData parts = data(A, b + 0.1 * random(n, 1, 32));
  parts.intercept = true;
  parts.weights.assign(to_size(n), 0.0);
  Rows few(25, 2), rhs(25, 1);
  for (Index t = 0; t < 25; ++t) {
    const Index i = 7 + 791 * t;
    parts.weights[to_size(i)] = 1.0;
    few.row(t) = A.row(i);
    rhs(t, 0) = parts.b.view()(i, 0);
  }
  ProblemData alone = data(few, rhs);
  alone.intercept = true;
  const Rows expected = solution(solve(Problem(alone), with_method("direct")));
  for (const std::string method : {"auto", "normal", "lsqr", "cg", "direct"}) {
    const Report report = solve(Problem(parts), with_method(method));
    const Rows x = solution(report);
    for (Index j = 0; j < 2; ++j)
      EXPECT_NEAR(x(j, 0), expected(j, 0), 1e-6 * std::abs(expected(j, 0))) << method;
    EXPECT_LE(report.used.condition.value_or(1.0), 100.0) << method;
  }
}

// As many rows as columns: with the intercept there are more unknowns than rows.
TEST(intercepts, take_no_part_in_the_least_norm_whatever_the_size_of_the_columns) {
  for (const Index n : {Index{5}, Index{20}, Index{30}})
    for (const double size : {1.0, 1e7, 1e-7}) {
      const Rows A = size * (random(n, 30, 33).array() + 3.0), b = random(n, 1, 34).array() + 5.0;
      ProblemData parts = data(A, b);
      parts.intercept = true;
      const Rows C = (A.rowwise() - A.colwise().mean().eval()) / size;
      const Rows y = b.array() - b.mean();  // rows sum to zero: the last follows from the others
      const Rows expected = least_norm_solution(C.topRows(n - 1), y.topRows(n - 1)) / size;
      for (const std::string method : {"auto", "direct", "lsqr"}) {
        if (method == "lsqr" && n == 30) continue;  // ill-conditioned
        const Rows x = solution(solve(Problem(parts), with_method(method)));
        EXPECT_LE((x.topRows(30) - expected).norm(), 1e-6 * expected.norm()) << method << n << size;
      }
    }
}

// Here rounding of the intercept exceeds the noise: the look tells them apart all the same.
TEST(intercepts, far_from_zero_hide_no_noise_from_a_look) {
  const Index n = 60000;
  Rows A = random(n, 4, 35);
  A.col(0) = 1.7e15 + (300.0 * A.col(0).array()).floor();
  const Rows y = 1e-2 * (A.col(0).array() - 1.7e15) + A.rightCols(3).rowwise().sum().array();
  for (const double noise : {1e-3, 0.0}) {
    ProblemData parts = data(A, y + noise * random(n, 1, 36));
    parts.intercept = true;
    SolveOptions options = with_method("auto");
    options.certify = "sampled";
    const Report report = solve(Problem(parts), options);
    EXPECT_EQ(report.certified, noise > 0.0 ? "full" : "sampled") << noise;
    EXPECT_NEAR(solution(report)(1, 0), 1.0, 1e-4) << noise;
  }
}

// The product of mean and slope is 1e12 times what is left of it.
TEST(intercepts, have_the_digits_of_a_sum_in_twice_the_precision) {
  Rows A = random(300, 2, 37);
  A.col(0) = 1.7e12 + (1e3 * A.col(0).array()).floor();
  A.col(1) = A.col(0).array() + (10.0 * A.col(1).array()).floor();
  ProblemData parts = data(A, A.col(1) - A.col(0) + 0.01 * random(300, 1, 38));
  parts.intercept = true;
  const Rows x = solution(solve(Problem(parts), with_method("direct")));
  long double mean = 0.0L;  // of the residuals, whose products are exact in 113 bits
  for (Index i = 0; i < 300; ++i) {
    __float128 r = x(2, 0);
    for (Index j = 0; j < 2; ++j) r += static_cast<__float128>(A(i, j)) * x(j, 0);
    mean += static_cast<long double>(r - static_cast<__float128>(parts.b.view()(i, 0))) / 300.0L;
  }
  EXPECT_LE(std::abs(static_cast<double>(mean)), 1e-10);
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

}  // namespace
}  // namespace polyak::test::trust
