// Numbers near the ends of the range of doubles: in rows that take no part, in one column, in
// the start. "Converged" is right there too, or not said.

#include <cmath>
#include <limits>

#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::extreme_values {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
const std::vector<std::string> methods = {"auto", "direct", "normal",     "lsqr", "cgls",
                                          "cg",   "hbm",    "sketch-hbm", "rk",   "minibatch-hbm"};

ProblemData sparse(const Rows& A, const Rows& b) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0.0) entries.push_back({i, j, A(i, j)});
  ProblemData out = data(A, b);
  out.A = csr_from_triplets(entries, A.rows(), A.cols());
  return out;
}

// Rows 7 and 123 have weight 0 and hold a fill value.
TEST(fill_values, in_rows_of_weight_zero_change_no_answer) {
  const Rows x = random(4, 1, 2);
  Rows A = random(400, 4, 1);
  for (Index j = 0; j < 4; ++j) A(7, j) = A(123, j) = 0.0;
  const Rows clean = A, consistent_b = A * x;
  const Rows noisy_b = consistent_b + 0.1 * random(400, 1, 3);
  std::vector<double> weights(400, 2.0);
  weights[7] = weights[123] = 0.0;
  for (const double fill : {1e36, 1e100, 1e155, 1e200, largest}) {
    A.row(7).setConstant(fill);
    A(123, 1) = -fill;
    for (const std::string& method : methods) {
      const bool exact = method != "rk" && method != "minibatch-hbm";
      Rows b = exact ? noisy_b : consistent_b;
      b(123, 0) = fill;
      for (ProblemData parts : {data(A, b), sparse(A, b)}) {
        parts.weights = weights;
        const Report report = solve(Problem(parts), with_method(method));
        EXPECT_EQ(report.status, Status::converged) << method << fill << ": " << report.reason;
        const Rows expected = qr_solution(clean, exact ? noisy_b : consistent_b);
        EXPECT_LE((solution(report) - expected).norm(), 1e-6 * expected.norm()) << method << fill;
      }
    }
  }
}

// The other way round: the rows that count are tiny.
TEST(fill_values, beside_tiny_rows_do_not_hide_them) {
  Rows A = 1e-200 * random(100, 3, 4);
  A.row(0).setOnes();
  ProblemData parts = data(A, A * Rows::Ones(3, 1));
  parts.weights.assign(100, 1.0);
  parts.weights[0] = 0.0;
  for (const std::string method : {"direct", "normal", "lsqr", "cg"}) {
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((solution(report) - Rows::Ones(3, 1)).norm(), 1e-6) << method;
  }
}

TEST(fill_values, that_are_not_finite_are_still_refused) {
  Rows A = random(50, 3, 5);
  ProblemData parts = data(A, A * Rows::Ones(3, 1));
  parts.weights.assign(50, 1.0);
  parts.weights[9] = 0.0;
  A(9, 2) = std::numeric_limits<double>::quiet_NaN();
  parts.A = matrix(A);
  try {
    (void)solve(Problem(parts), with_method("direct"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 10, column 3"), std::string::npos)
        << error.what();
  }
}

// The largest |a_j'r|/(|a_j||r|), columns in their own units so that nothing overflows here.
double tested(const Rows& A, const Rows& x, const Rows& b, double unit) {
  Rows B = A, z = x;
  B.col(2) /= unit;
  z.row(2) *= unit;
  const Rows r = B * z - b;
  double worst = 0.0;
  for (Index j = 0; j < B.cols(); ++j)
    worst = std::max(worst, std::abs(B.col(j).dot(r.col(0))) / B.col(j).norm() / r.norm());
  return worst;
}

TEST(one_huge_column, is_never_called_converged_where_the_others_are_not) {
  for (const double unit : {1e80, 1e100, 1e140, 1e155, 1e165, 1e200, 1e300}) {
    Rows A = random(500, 4, 6);
    const Rows b = A * Rows::Ones(4, 1) + 0.1 * random(500, 1, 7);
    A.col(2) *= unit;
    for (const std::string method : {"auto", "direct", "normal", "lsqr", "cg", "gd"}) {
      for (const std::string scaling : {"auto", "none"}) {
        SolveOptions options = with_method(method);
        options.column_scaling = scaling;
        options.max_passes = 500;
        const Report report = solve(Problem(data(A, b)), options);
        if (report.status == Status::converged)
          EXPECT_LE(tested(A, solution(report), b, unit), 2e-8) << method << scaling << unit;
        else
          EXPECT_EQ(scaling, "none") << method << unit << ": " << report.reason;
      }
    }
  }
}

TEST(a_start, whose_residual_overflows_is_returned_with_the_reason) {
  const Rows A = 1e100 * random(30, 2, 8);
  ProblemData parts = data(A, Rows::Ones(30, 1));
  parts.x0 = array(Rows::Constant(2, 1, 1e250));
  for (const std::string& method : methods) {
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.status, Status::diverged) << method;
    EXPECT_NE(report.reason.find("x0"), std::string::npos) << method << ": " << report.reason;
    EXPECT_EQ(solution(report), Rows::Constant(2, 1, 1e250)) << method;
  }
}

}  // namespace
}  // namespace polyak::test::extreme_values
