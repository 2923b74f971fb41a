// Units of columns do not matter: answers, tolerance and rank are the same
// whatever a column is measured in, and an intercept is centring.

#include <cmath>

#include "support/decompositions.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
namespace {

const std::vector<std::string> exact = {"auto", "direct", "normal",    "lsqr",
                                        "cgls", "cg",     "sketch-hbm"};

// Area, rooms and a time in milliseconds.
struct Houses {
  Rows A = random(2000, 3, 1), x = Rows(4, 1), b;
  Houses(double noise = 1.0) {
    A.col(0) = 120.0 + 80.0 * A.col(0).array();
    A.col(1) = 4.0 + 3.0 * A.col(1).array();
    A.col(2) = 1.7e12 + 5e9 * A.col(2).array();
    x << 181.0, 20000.0, 3e-7, -1031.6;
    b = (A * x.topRows(3)).array() + x(3, 0);
    b += noise * random(2000, 1, 2);
  }
};

// By centred and scaled columns: what nobody here wrote is Eigen's QR.
Rows reference(const Rows& A, const Rows& b) {
  const Eigen::RowVectorXd mean = A.colwise().mean();
  Rows C = A.rowwise() - mean;
  const Eigen::RowVectorXd size = C.colwise().norm();
  for (Index j = 0; j < C.cols(); ++j) C.col(j) /= size(j);
  Rows x = qr_solution(C, Rows(b.array() - b.mean()));
  for (Index j = 0; j < C.cols(); ++j) x(j, 0) /= size(j);
  Rows out(x.rows() + 1, 1);
  out << x, Rows::Constant(1, 1, b.mean() - (mean * x)(0));
  return out;
}

void expect_each_near(const Rows& found, const Rows& expected, double tolerance,
                      const std::string& name) {
  ASSERT_EQ(found.rows(), expected.rows()) << name;
  for (Index j = 0; j < found.rows(); ++j)
    EXPECT_NEAR(found(j, 0), expected(j, 0), tolerance * std::abs(expected(j, 0)))
        << name << ", " << j;
}

TEST(columns, a_time_in_milliseconds_beside_rooms_is_fitted_by_every_method) {
  const Houses houses;
  ProblemData parts = data(houses.A, houses.b);
  parts.intercept = true;
  const Rows expected = reference(houses.A, houses.b);
  for (const std::string& method : exact) {
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    expect_each_near(solution(report), expected, 1e-5, method);
  }
}

// Sparse rows are centred as a term of rank one.
TEST(columns, sparse_rows_with_an_intercept_give_the_answer_of_dense_ones) {
  Rows A = random(4000, 6, 3);
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < 5; ++j)
      if ((i * 7 + j * 3) % 4 != 0) A(i, j) = 0.0;
  A.col(5) = 5e3 + A.col(5).array();
  const Rows b = A * random(6, 1, 4) + 0.1 * random(4000, 1, 5);
  std::vector<Triplet> entries;
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0.0) entries.push_back({i, j, A(i, j)});
  ProblemData dense = data(A, b), sparse = dense;
  dense.intercept = sparse.intercept = true;
  sparse.A = csr_from_triplets(entries, A.rows(), A.cols());
  const Rows expected = reference(A, b);
  for (const std::string& method : exact) {
    SolveOptions options = with_method(method);
    options.tol = 1e-11;
    for (const ProblemData& parts : {dense, sparse}) {
      const Report report = solve(Problem(parts), options);
      expect_each_near(solution(report), expected, 1e-4, method);
    }
  }
}

// A column with an entry in every row is centred entry by entry: as a term of rank one its mean
// would cost all digits. Dense enough for panels of AᵀA, and sparse enough for entry by entry.
TEST(columns, sparse_rows_whose_values_are_far_from_zero_keep_their_digits) {
  for (const Index empty : {0, 60}) {
    for (const double offset : {1e5, 3e7, 1e9}) {
      Rows A = Rows::Zero(3000, 3 + empty);
      A.leftCols(3) = random(3000, 3, 40);
      A.col(1) = A.col(0) + 1e-3 * A.col(1);
      for (Index i = 0; i < A.rows() && empty > 0; ++i)
        A(i, 3 + i % empty) = 1.0 + 1e-3 * static_cast<double>(i);
      const Rows b = A * Rows::Ones(A.cols(), 1) + 0.01 * random(3000, 1, 41);
      for (Index j = 0; j < 3; ++j) A.col(j).array() += offset * static_cast<double>(j + 1);
      std::vector<Triplet> entries;
      for (Index i = 0; i < A.rows(); ++i)
        for (Index j = 0; j < A.cols(); ++j)
          if (A(i, j) != 0.0) entries.push_back({i, j, A(i, j)});
      ProblemData parts = data(A, b);
      parts.intercept = true;
      Rows expected = reference(A, b);
      parts.A = csr_from_triplets(entries, A.rows(), A.cols());
      // Entries are rounded to eps·offset, which the condition of 2000 enlarges; so is reference().
      const double tolerance = 1e-5 + 1e4 * 2e-16 * offset;
      for (const std::string& method : exact) {
        SolveOptions options = with_method(method);
        options.tol = 1e-11;
        const Report report = solve(Problem(parts), options);
        EXPECT_EQ(report.status, Status::converged)
            << method << empty << " " << offset << ": " << report.reason;
        const Rows x = solution(report);
        EXPECT_LE((x - expected).topRows(A.cols()).norm(),
                  tolerance * expected.topRows(A.cols()).norm())
            << method << ", " << empty << " sparse columns, offset " << offset;
      }
    }
  }
}

// As numpy.linalg.lstsq: in the units of the user, although the norms of such short columns differ.
TEST(columns, of_a_wide_A_keep_their_units_so_that_x_has_the_least_norm) {
  const Rows A = random(4, 30, 44), b = random(4, 1, 45);
  const Rows expected = A.transpose() * (A * A.transpose()).ldlt().solve(b);
  ProblemData parts = data(A, b);
  for (const std::string& method : exact) {
    if (method == "sketch-hbm") continue;
    SolveOptions options = with_method(method);
    options.tol = 1e-13;
    const Report report = solve(Problem(parts), options);
    EXPECT_LE((solution(report) - expected).norm(), 1e-9 * expected.norm()) << method;
  }
  parts.intercept = true;
  const Rows mean = A.colwise().mean(), C = A.rowwise() - A.colwise().mean();
  const Rows slopes = least_norm_solution(C, b.array() - b.mean());
  const Report report = solve(Problem(parts), with_method("direct"));
  EXPECT_LE((solution(report).topRows(30) - slopes).norm(), 1e-9 * slopes.norm());
  EXPECT_NEAR(solution(report)(30, 0), b.mean() - (mean * slopes)(0), 1e-9);
}

TEST(columns, scaling_columns_by_powers_of_two_changes_no_bit_of_the_fit) {
  Rows A = random(500, 5, 6);
  const Rows b = random(500, 1, 7);
  A.col(2) *= 0x1p30;
  A.col(4) *= 0x1p-25;
  Rows B = A;
  B.col(0) *= 0x1p40;
  B.col(2) *= 0x1p-50;
  for (const std::string& method : exact) {
    SolveOptions options = with_method(method);
    Rows x = solution(solve(Problem(data(A, b)), options));
    const Rows y = solution(solve(Problem(data(B, b)), options));
    x(0, 0) *= 0x1p-40;
    x(2, 0) *= 0x1p50;
    EXPECT_EQ(x, y) << method;
  }
}

TEST(columns, the_tolerance_holds_for_every_column) {
  Rows A = random(3000, 4, 8);
  A.col(1) *= 1e9;
  const Rows b = A * Rows::Ones(4, 1) + 1e6 * random(3000, 1, 9);
  for (const std::string method : {"lsqr", "cgls", "cg", "nag", "hbm"}) {
    for (const std::string scaling : {"auto", "none"}) {
      SolveOptions options = with_method(method);
      options.column_scaling = scaling;
      options.max_passes = 200;
      const Report report = solve(Problem(data(A, b)), options);
      if (report.status != Status::converged) {
        EXPECT_EQ(scaling, "none") << method;
        continue;
      }
      const Rows r = A * solution(report) - b;
      for (Index j = 0; j < 4; ++j)
        EXPECT_LE(std::abs(A.col(j).dot(r.col(0))), 1.01e-8 * A.col(j).norm() * r.norm())
            << method << j;
    }
  }
}

TEST(columns, parameters_of_the_paper_and_given_steps_take_A_as_it_is) {
  Rows A = random(400, 3, 10);
  A.col(1) *= 100.0;
  const Problem problem(data(A, A * Rows::Ones(3, 1)));
  SolveOptions paper = with_method("minibatch-hbm"), step = with_method("gd");
  paper.parameters = "paper";
  paper.max_iterations = step.max_iterations = 3;
  step.step_size = 1e-7;
  EXPECT_FALSE(solve(problem, paper).used.column_scaling);
  EXPECT_FALSE(solve(problem, step).used.column_scaling);
  EXPECT_TRUE(solve(problem, with_method("lsqr")).used.column_scaling);
}

TEST(columns, an_intercept_is_no_part_of_the_ridge) {
  const Houses houses;
  Rows A = houses.A;
  A.col(2) = (A.col(2).array() - 1.7e12) / 5e9;
  ProblemData parts = data(A, houses.b);
  parts.intercept = true;
  parts.ridge = 1e4;
  const Eigen::RowVectorXd mean = A.colwise().mean();
  const Rows C = A.rowwise() - mean, b = houses.b.array() - houses.b.mean();
  const Rows x = spd_solution(C.transpose() * C + 1e4 * Rows::Identity(3, 3), C.transpose() * b);
  Rows expected(4, 1);
  expected << x, Rows::Constant(1, 1, houses.b.mean() - (mean * x)(0));
  for (const std::string& method : exact) {
    SolveOptions options = with_method(method);
    options.tol = 1e-12;
    expect_each_near(solution(solve(Problem(parts), options)), expected, 1e-8, method);
  }
}

// More unknowns than rows, a ridge and an intercept: by the dual problem.
TEST(columns, a_ridge_on_more_unknowns_than_rows_leaves_the_intercept_free) {
  const Rows A = 3.0 + random(20, 50, 11).array(), y = 7.0 + random(20, 1, 12).array();
  ProblemData parts = data(A, y);
  parts.intercept = true;
  parts.ridge = 0.5;
  const Eigen::RowVectorXd mean = A.colwise().mean();
  const Rows C = A.rowwise() - mean, b = y.array() - y.mean();
  const Rows x = C.transpose() * spd_solution(C * C.transpose() + 0.5 * Rows::Identity(20, 20), b);
  Rows expected(51, 1);
  expected << x, Rows::Constant(1, 1, y.mean() - (mean * x)(0));
  for (const std::string method : {"direct", "lsqr", "cg", "auto"}) {
    SolveOptions options = with_method(method);
    options.tol = 1e-13;
    const Rows found = solution(solve(Problem(parts), options));
    EXPECT_LE((found - expected).norm(), 1e-9 * expected.norm()) << method;
  }
}

TEST(columns, a_constant_column_beside_an_intercept_keeps_its_start_and_is_told) {
  Rows A = random(300, 3, 13);
  A.col(1).setConstant(0.1);
  ProblemData parts = data(A, A * Rows::Ones(3, 1) + 2.0 * Rows::Ones(300, 1));
  parts.intercept = true;
  Rows start = Rows::Zero(4, 1);
  start(1, 0) = 5.0;
  parts.x0 = array(start);
  for (const std::string& method : exact) {
    const Report report = solve(Problem(parts), with_method(method));
    const Rows x = solution(report);
    EXPECT_EQ(x(1, 0), 5.0) << method;
    EXPECT_NEAR(x(0, 0), 1.0, 1e-6) << method;
    EXPECT_NEAR(x(3, 0) + 0.1 * 5.0, 2.1, 1e-6) << method;
    EXPECT_EQ(report.zero_columns, 1) << method;
  }
}

TEST(columns, of_a_wide_A_that_are_constant_beside_an_intercept_are_told_as_such) {
  Rows A = random(5, 10, 46);
  A.col(4).setConstant(3.0);
  A.col(7).setConstant(0.1);
  for (const double ridge : {0.0, 0.5}) {
    ProblemData parts = data(A, random(5, 1, 47));
    parts.intercept = true;
    parts.ridge = ridge;
    for (const std::string method : {"direct", "lsqr", "cg"}) {
      const Report report = solve(Problem(parts), with_method(method));
      EXPECT_EQ(report.zero_columns, 2) << method;
      ASSERT_FALSE(report.warnings.empty()) << method;
      EXPECT_EQ(report.warnings[0].find("2 columns of A are constant"), 0u) << report.warnings[0];
      EXPECT_EQ(solution(report)(4, 0), 0.0) << method;
    }
  }
}

TEST(columns, weights_however_small_or_large_change_no_digit_of_a_consistent_answer) {
  const Rows A = random(500, 6, 14), x = random(6, 1, 15);
  for (const double weight : {5e-324, 1e-310, 1e-300, 1e200, 1e300}) {
    ProblemData parts = data(A, A * x);
    parts.weights.assign(500, weight);
    for (const std::string& method : exact) {
      SolveOptions options = with_method(method);
      options.tol = 1e-12;
      const Report report = solve(Problem(parts), options);
      EXPECT_EQ(report.status, Status::converged) << method;
      EXPECT_LE((solution(report) - x).norm(), 1e-9 * x.norm()) << method << " " << weight;
    }
  }
}

TEST(columns, the_residual_of_scaled_weights_is_told_in_the_users_units) {
  const Rows A = random(50, 2, 16), b = random(50, 1, 17);
  ProblemData parts = data(A, b);
  const double plain = *solve(Problem(parts), with_method("direct")).residual_norm;
  parts.weights.assign(50, 0x1p-400);
  EXPECT_NEAR(*solve(Problem(parts), with_method("direct")).residual_norm, plain * 0x1p-200,
              1e-12 * plain * 0x1p-200);
}

TEST(columns, ranks_scale_and_centre_as_one_process_does) {
  const Houses houses;
  ProblemData parts = data(houses.A, houses.b);
  parts.intercept = true;
  const Rows expected = reference(houses.A, houses.b);
  for (const std::string method : {"direct", "normal", "lsqr", "cg"}) {
    SolveOptions options = with_method(method);
    options.tol = 1e-10;
    for (const Report& report : solve_on_ranks(3, parts, options))
      expect_each_near(solution(report), expected, 1e-5, method);
  }
}

}  // namespace
}  // namespace polyak::test
