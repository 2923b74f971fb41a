// Ridge, weights, bounds, start vectors, bad data: the problem as the user put it.

#include "support/problems.hpp"

#include <cmath>
#include <limits>

#include "support/decompositions.hpp"

namespace polyak::test {
namespace {

const std::vector<std::string> exact_methods = {"gd", "hbm", "nag", "cgls", "lsqr", "direct"};

Rows ridge_solution(const Rows& A, const Rows& b, double ridge) {
  const Rows H = A.transpose() * A + ridge * Rows::Identity(A.cols(), A.cols());
  return spd_solution(H, A.transpose() * b);
}

SolveOptions tight(const std::string& method) {
  SolveOptions options = ample(method);
  options.tol = 1e-12;
  return options;
}

TEST(ridge, is_about_x_itself_with_and_without_a_start_vector) {
  const Rows A = random(80, 6, 1), b = random(80, 2, 2);
  const Rows expected = ridge_solution(A, b, 3.0);
  for (const std::string& method : exact_methods) {
    ProblemData parts = data(A, b);
    parts.ridge = 3.0;
    Report report = solve(Problem(parts), tight(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((solution(report) - expected).norm(), 1e-9 * expected.norm()) << method;
    parts.x0 = array(random(6, 2, 3));
    report = solve(Problem(parts), tight(method));
    EXPECT_LE((solution(report) - expected).norm(), 1e-9 * expected.norm()) << method;
  }
}

TEST(ridge, makes_a_rank_deficient_problem_definite) {
  Rows A = random(40, 5, 4);
  A.col(3) = A.col(1) - A.col(0);
  const Rows b = random(40, 1, 5), expected = ridge_solution(A, b, 0.5);
  for (const std::string& method : exact_methods) {
    ProblemData parts = data(A, b);
    parts.ridge = 0.5;
    const Report report = solve(Problem(parts), tight(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((solution(report) - expected).norm(), 1e-9 * expected.norm()) << method;
  }
}

TEST(ridge, is_unbiased_in_sampled_methods) {
  // The mean over many runs of one step from x0: x0 - alpha(A'(A x0 - b) + ridge x0),
  // within five standard errors.
  const Rows A = random(30, 3, 6), b = random(30, 1, 7), x0 = random(3, 1, 8);
  ProblemData parts = data(A, b);
  parts.ridge = 2.0;
  parts.x0 = array(x0);
  const Problem problem(parts);
  const double alpha = 0.01;
  const Rows expected = x0 - alpha * (A.transpose() * (A * x0 - b) + 2.0 * x0);
  for (const char* method : {"sgd", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"}) {
    SolveOptions options = with_method(method);
    if (std::string(method) != "sgd") options.batch_size = 2;
    if (std::string(method).ends_with("hbm") || std::string(method).ends_with("nag"))
      options.momentum = 0.5;
    options.step_size = alpha;
    options.max_iterations = 1;
    options.tol = 0.0;
    constexpr int runs = 4000;
    Rows sum = Rows::Zero(3, 1), sum2 = sum;
    for (int r = 0; r < runs; ++r) {
      options.stream = static_cast<std::uint64_t>(r);
      Solver solver(std::make_shared<const Problem>(parts), options);
      (void)solver.run();
      const Rows x = Eigen::Map<const Rows>(solver.state().vectors[0].data(), 3, 1);
      sum += x;
      sum2 += x.cwiseProduct(x);
    }
    const Rows mean = sum / runs;
    const Rows error = ((sum2 / runs - mean.cwiseProduct(mean)) / runs).cwiseSqrt();
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(mean(j), expected(j), 5 * error(j)) << method;
  }
}

TEST(weights, equal_repeating_rows) {
  const Rows A = random(30, 4, 9), b = random(30, 1, 10);
  std::vector<double> weights;
  Rows A2(75, 4), b2(75, 1);
  Index k = 0;
  for (Index i = 0; i < 30; ++i) {
    weights.push_back(static_cast<double>(i % 5 + (i % 5 == 0 ? 0 : 0)));
    for (Index copy = 0; copy < i % 5; ++copy) {
      A2.row(k) = A.row(i);
      b2.row(k++) = b.row(i);
    }
  }
  const Rows expected = qr_solution(A2.topRows(k), b2.topRows(k));
  for (const std::string& method : exact_methods) {
    ProblemData parts = data(A, b);
    parts.weights = weights;
    const Report report = solve(Problem(parts), tight(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((solution(report) - expected).norm(), 1e-9 * expected.norm()) << method;
  }
}

TEST(weights, are_met_by_sampled_methods_on_consistent_data) {
  const Rows A = random(100, 5, 11), x = random(5, 1, 12);
  ProblemData parts = data(A, A * x);
  for (Index i = 0; i < 100; ++i) parts.weights.push_back(0.1 + static_cast<double>(i % 7));
  for (const MethodInfo& info : method_table()) {
    const Report report = solve(Problem(parts), tight(info.name));
    EXPECT_EQ(report.status, Status::converged) << info.name << ": " << report.reason;
    EXPECT_LE((solution(report) - x).norm(), 1e-9) << info.name;
  }
}

TEST(weights, that_are_shared_give_the_bits_of_a_copy) {
  const Rows A = random(100, 5, 11), b = random(100, 1, 12);
  for (const double unit : {1.0, 1e-300, 1e300}) {  // far from 1 they are scaled
    ProblemData copied = data(A, b), shared = data(A, b);
    for (Index i = 0; i < 100; ++i) copied.weights.push_back(unit * static_cast<double>(i % 7));
    shared.shared_weights = Array(copied.weights, 100);
    for (const MethodInfo& info : method_table()) {
      SolveOptions options;
      options.method = info.name;
      options.max_iterations = 20;
      options.threads = 2;
      const Report expected = solve(Problem(copied), options);
      const Report report = solve(Problem(shared), options);
      EXPECT_EQ(solution(report), solution(expected)) << info.name << ", " << unit;
    }
  }
}

TEST(weights, that_are_shared_are_checked) {
  const auto refused = [](Array shared, std::vector<double> others = {}) {
    ProblemData parts = data(random(4, 2, 11), random(4, 1, 12));
    parts.shared_weights = std::move(shared);
    parts.weights = std::move(others);
    try {
      const Problem problem(std::move(parts));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      return error.parts().where;
    }
    return std::string("none");
  };
  EXPECT_EQ(refused(Array({1.0, 2.0, 0.0, 4.0}, 4)), "none");
  EXPECT_EQ(refused(Array({1.0, 2.0, -3.0, 4.0}, 4)), "weights, row 3");
  EXPECT_EQ(refused(Array({1.0, 2.0, 3.0}, 3)), "weights");
  EXPECT_EQ(refused(Array({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, 4, 2)), "weights");
  EXPECT_EQ(refused(Array({1.0, 2.0, 3.0, 4.0}, 4), {1.0, 1.0, 1.0, 1.0}), "weights");
}

TEST(bounds, end_at_a_point_that_meets_the_optimality_conditions) {
  const Rows A = random(60, 6, 13), b = random(60, 1, 14);
  ProblemData parts = data(A, b);
  parts.lower = {0.0};
  parts.upper = {0.1};
  for (const char* method : {"auto", "gd", "hbm", "nag", "active-set", "bounded-cg"}) {
    const Report report = solve(Problem(parts), tight(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    const Rows x = solution(report), g = A.transpose() * (A * x - b);
    for (Index j = 0; j < 6; ++j) {
      EXPECT_GE(x(j), 0.0);
      EXPECT_LE(x(j), 0.1);
      if (x(j) == 0.0)
        EXPECT_GE(g(j), -1e-9);
      else if (x(j) == 0.1)
        EXPECT_LE(g(j), 1e-9);
      else
        EXPECT_NEAR(g(j), 0.0, 1e-9);
    }
  }
}

TEST(bounds, are_refused_by_methods_that_cannot_keep_them) {
  ProblemData parts = data(random(9, 2, 15), random(9, 1, 16));
  parts.lower = {0.0};
  for (const char* method : {"cgls", "lsqr", "direct", "ark"})
    EXPECT_THROW((void)solve(Problem(parts), with_method(method)), Error) << method;
}

TEST(bounds, that_are_infinite_are_none) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  ProblemData parts = data(random(9, 2, 15), random(9, 1, 16));
  parts.lower = {-inf};
  parts.upper = {inf, inf};
  EXPECT_FALSE(Problem(parts).has_bounds());
  EXPECT_EQ(solve(Problem(parts)).method, "normal");
  parts.upper = {inf, 3.0};
  EXPECT_TRUE(Problem(parts).has_bounds());
  EXPECT_EQ(solve(Problem(parts)).method, "active-set");
}

TEST(bounds, that_no_number_meets_are_refused) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  ProblemData parts = data(random(9, 2, 15), random(9, 1, 16));
  for (const auto& [lower, upper] :
       {std::pair{inf, inf}, {-inf, -inf}, {std::nan(""), 1.0}, {0.0, std::nan("")}, {1.0, 0.5}}) {
    parts.lower = {lower};
    parts.upper = {upper};
    EXPECT_THROW(Problem{parts}, Error) << lower << " " << upper;
  }
}

// The exact method may not be affordable: then what follows it must keep the bounds too.
TEST(bounds, are_kept_by_whatever_auto_ends_with) {
  ProblemData parts = data(random(40, 3100, 21), random(40, 1, 22));
  parts.lower = {-0.01};
  parts.upper = {0.02};
  for (const MatrixPtr& A : {parts.A, matrix(random(3200, 3100, 23))}) {
    parts.A = A;
    parts.b = array(random(A->rows(), 1, 24));
    const Report report = solve(Problem(parts), with_method("auto"));
    EXPECT_EQ(report.status, Status::converged) << report.reason;
    EXPECT_EQ(report.method, A->rows() == 40 ? "active-set" : "bounded-cg");
    EXPECT_GE(solution(report).minCoeff(), -0.01);
    EXPECT_LE(solution(report).maxCoeff(), 0.02);
  }
}

TEST(a_start_vector, leads_every_method_to_the_nearest_solution_of_a_wide_system) {
  const Rows A = random(4, 9, 17), b = A * random(9, 1, 18), x0 = random(9, 1, 19);
  const Rows expected = x0 + Rows(least_norm_solution(A, b - A * x0));
  for (const MethodInfo& info : method_table()) {
    ProblemData parts = data(A, b);
    parts.x0 = array(x0);
    const Report report = solve(Problem(parts), tight(info.name));
    EXPECT_LE((solution(report) - expected).norm(), 1e-8) << info.name << ": " << report.reason;
  }
}

TEST(bad_values, are_named_by_row_and_column) {
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Rows A = random(700, 5, 20);
    A(611, 3) = bad;
    try {
      (void)solve(Problem(data(A, Rows::Ones(700, 1))), with_method("rk"));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_NE(std::string(error.what()).find("row 612, column 4"), std::string::npos)
          << error.what();
    }
    Rows b = Rows::Ones(700, 1);
    b(42) = bad;
    EXPECT_THROW((void)solve(Problem(data(random(700, 5, 20), b)), with_method("lsqr")), Error);
  }
}

TEST(shapes, that_disagree_are_refused_with_both) {
  try {
    Problem(data(random(10, 3, 1), random(9, 1, 2)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("A 10 x 3 and b 9 x 1"), std::string::npos)
        << error.what();
  }
}

TEST(huge_and_tiny_numbers, give_the_rescaled_answer) {
  const Rows A = random(50, 4, 21), x = random(4, 1, 22);
  for (auto [a, b] :
       {std::pair{1e200, 1.0}, {1e-200, 1.0}, {1e200, 1e200}, {1e-200, 1e-200}, {1.0, 1e250}}) {
    for (const MethodInfo& info : method_table()) {
      const Report report = solve(Problem(data(a * A, b * (A * x))), tight(info.name));
      EXPECT_EQ(report.status, Status::converged) << info.name << ": " << report.reason;
      EXPECT_LE((solution(report) / (b / a) - x).norm(), 1e-8) << info.name << " " << a << " " << b;
    }
  }
}

TEST(a_given_step, is_in_the_units_of_the_data_at_any_scale) {
  const Rows A = random(50, 4, 23), b = random(50, 1, 24);
  SolveOptions options = ample("minibatch-hbm");
  options.momentum = 0.3;
  options.step_size = 0.01;
  options.max_iterations = 30;
  options.tol = 0.0;
  const Rows plain = solution(solve(Problem(data(A, b)), options));
  for (int k : {-480, -5, 7, 480}) {
    options.step_size = std::ldexp(0.01, -2 * k);
    const Rows scaled = solution(solve(Problem(data(std::ldexp(1.0, k) * A, b)), options));
    EXPECT_EQ(scaled, std::ldexp(1.0, -k) * plain) << k;
  }
}

TEST(rows_of_very_different_size, all_keep_their_say) {
  Rows A = random(40, 3, 25);
  for (Index i = 0; i < 20; ++i) A.row(i) *= 1e-150;
  for (Index i = 20; i < 40; ++i) A.row(i) *= 1e150;
  const Rows x = random(3, 1, 26);
  const Report report = solve(Problem(data(A, A * x)), tight("rk"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.zero_rows, 0);
  EXPECT_LE((solution(report) - x).norm(), 1e-9);
}

TEST(zero_rows_with_a_right_hand_side, are_counted_in_a_warning) {
  Rows A = random(30, 3, 27), b = A * random(3, 1, 28);
  A.row(4).setZero();
  A.row(9).setZero();
  b(9) = 0.0;
  const Report report = solve(Problem(data(A, b)), tight("lsqr"));
  EXPECT_EQ(report.zero_rows, 2);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].substr(0, 11), "1 zero rows");
  EXPECT_NEAR(*report.residual_norm, std::abs(b(4)), 1e-9);
}

TEST(rank_deficiency, is_warned_of) {
  Rows A = random(30, 4, 29);
  A.col(3) = A.col(0);
  const Report report = solve(Problem(data(A, A * random(4, 1, 30))), tight("hbm"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("rank 3 of 4"), std::string::npos) << report.warnings[0];
}

}  // namespace
}  // namespace polyak::test
