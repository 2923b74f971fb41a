// Residual variance and standard errors, against the textbook formulas in long
// double by Eigen, and against what they promise.

#include <cmath>
#include <random>

#include "support/decompositions.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
constexpr double eps = 0x1p-52;

struct Textbook {
  Eigen::VectorXd x, errors;
  double variance;
};

// x = R⁻¹Qᵀb, s² = |b − Ax|²/(n − d), s·√diag((AᵀA)⁻¹) = s·|rows of R⁻¹|.
Textbook textbook(const Rows& A, const Rows& b) {
  const Long L = A.cast<long double>(), rhs = b.cast<long double>();
  const Eigen::HouseholderQR<Long> qr(L);
  const Long x = qr.solve(rhs);
  const Long R = qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
  const Long inverse = R.triangularView<Eigen::Upper>().solve(Long::Identity(A.cols(), A.cols()));
  const long double variance =
      (rhs - L * x).squaredNorm() / static_cast<long double>(A.rows() - A.cols());
  const Long errors = inverse.rowwise().norm() * std::sqrt(variance);
  return {x.cast<double>(), errors.cast<double>(), static_cast<double>(variance)};
}

Report solved(ProblemData parts, const std::string& method = "auto", double tol = 1e-8) {
  SolveOptions options = with_method(method);
  options.statistics = true;
  options.tol = tol;
  return solve(Problem(std::move(parts)), options);
}

Rows array_rows(const Array& a) {
  return Eigen::Map<const Rows>(a.view().data, a.rows(), a.cols());
}

bool warns(const Report& report, const std::string& words) {
  for (const std::string& warning : report.warnings)
    if (warning.starts_with("statistics: ") && warning.find(words) != std::string::npos)
      return true;
  return false;
}

// The largest relative difference, entry by entry.
double apart(const Array& one, const Array& other) {
  return (array_rows(one).array() / array_rows(other).array() - 1.0).abs().maxCoeff();
}
double largest_ratio(const Rows& found, const Eigen::VectorXd& expected) {
  return (found.col(0).array() / expected.array() - 1.0).abs().maxCoeff();
}

TEST(statistics, are_those_of_the_textbook) {
  const Rows A = random(200, 7, 1), b = A * random(7, 1, 2) + 0.3 * random(200, 1, 3);
  const Textbook expected = textbook(A, b);
  for (const char* method : {"auto", "direct", "lsqr", "normal"}) {
    const Report report = solved(data(A, b), method, 1e-12);
    ASSERT_TRUE(report.statistics) << method;
    const Statistics& s = *report.statistics;
    EXPECT_EQ(s.degrees_of_freedom, 193.0);
    EXPECT_EQ(s.rank, 7);
    EXPECT_NEAR(s.residual_variance[0] / expected.variance, 1.0, 1e-12) << method;
    EXPECT_LE(largest_ratio(array_rows(s.standard_errors), expected.errors), 1e-12) << method;
    EXPECT_LE(largest_ratio(array_rows(s.t_values), expected.x.array() / expected.errors.array()),
              1e-9)
        << method;
    EXPECT_FALSE(s.centred);
    EXPECT_NEAR(*s.r_squared[0], 1.0 - s.residual_sum_of_squares[0] / b.squaredNorm(), 1e-12);
    EXPECT_LT(*s.distance, 1e-6);
    EXPECT_TRUE(report.warnings.empty());
  }
}

TEST(statistics, hold_where_the_normal_equations_have_lost_every_digit) {
  const double condition = 1e9;
  Rows A = random(300, 6, 4);
  A.col(5) = A.col(0) + A.col(1) + 1.0 / condition * A.col(5);
  const Rows b = random(300, 1, 5);
  const Report report = solved(data(A, b), "direct");
  // QR: the relative error of R⁻¹ is some condition·eps; d·n for its constant.
  EXPECT_LE(largest_ratio(array_rows(report.statistics->standard_errors), textbook(A, b).errors),
            100.0 * condition * eps);
}

TEST(statistics, of_weights_are_those_of_repeated_rows) {
  const Rows A = random(40, 4, 6), b = random(40, 2, 7);
  std::vector<double> weights;
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    weights.push_back(static_cast<double>(i * 7 % 4));
    for (Index k = 0; k < i * 7 % 4; ++k) rows.push_back(i);
  }
  Rows many(std::ssize(rows), 4), rhs(std::ssize(rows), 2);
  for (Index i = 0; i < many.rows(); ++i) {
    many.row(i) = A.row(rows[to_size(i)]);
    rhs.row(i) = b.row(rows[to_size(i)]);
  }
  ProblemData weighted = data(A, b);
  weighted.weights = weights;
  const Statistics one = *solved(weighted, "direct").statistics;
  const Statistics other = *solved(data(many, rhs), "direct").statistics;
  EXPECT_EQ(one.observations, other.observations);
  EXPECT_EQ(one.degrees_of_freedom, other.degrees_of_freedom);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(one.residual_variance[c] / other.residual_variance[c], 1.0, 1e-12);
    EXPECT_NEAR(*one.r_squared[c], *other.r_squared[c], 1e-12);
  }
  EXPECT_LE(apart(one.standard_errors, other.standard_errors), 1e-12);
}

TEST(statistics, count_r_squared_from_the_mean_where_a_column_is_constant) {
  Rows A = random(100, 3, 8), b = random(100, 1, 9).array() + 50.0;
  A.col(1).setConstant(2.5);
  const Report report = solved(data(A, b));
  const double mean = b.mean(), total = (b.array() - mean).square().sum();
  EXPECT_TRUE(report.statistics->centred);
  EXPECT_NEAR(*report.statistics->r_squared[0],
              1.0 - report.statistics->residual_sum_of_squares[0] / total, 1e-12);
  ProblemData still = data(A, Rows::Constant(100, 1, 5.0));
  EXPECT_FALSE(solved(still).statistics->r_squared[0].has_value());
  // A row of weight 0 is not there.
  A(0, 1) = 7.0;
  ProblemData parts = data(A, b);
  EXPECT_FALSE(solved(parts).statistics->centred);
  parts.weights.assign(100, 1.0);
  parts.weights[0] = 0.0;
  EXPECT_TRUE(solved(parts).statistics->centred);
}

// 400 problems with the same A and normal noise: an interval of 95 % of
// Student's t with 55 degrees of freedom (2.00404) must hold the true x in 95 %
// of them. Counts are binomial; 4.5 standard deviations leave a false alarm of
// 7e-6 each.
TEST(statistics, give_intervals_that_hold_the_truth_as_often_as_they_say) {
  constexpr Index n = 60, d = 5, runs = 400;
  const Rows A = random(n, d, 10), x = random(d, 1, 11);
  std::mt19937_64 bits(12);
  std::normal_distribution<double> noise(0.0, 0.7);
  Rows b = (A * x).replicate(1, runs);
  for (Index i = 0; i < b.size(); ++i) b.data()[i] += noise(bits);
  const Report report = solved(data(A, b), "direct");
  const Rows found = solution(report), errors = array_rows(report.statistics->standard_errors);
  for (Index j = 0; j < d; ++j) {
    Index held = 0;
    for (Index k = 0; k < runs; ++k) held += std::abs(found(j, k) - x(j)) <= 2.00404 * errors(j, k);
    EXPECT_NEAR(static_cast<double>(held), 0.95 * runs, 4.5 * std::sqrt(0.95 * 0.05 * runs)) << j;
  }
  double mean = 0.0;
  for (double s2 : report.statistics->residual_variance) mean += s2 / runs / 0.49;
  EXPECT_NEAR(mean, 1.0, 4.5 * std::sqrt(2.0 / 55.0 / runs));
}

TEST(statistics, refuse_the_standard_errors_of_columns_that_depend_on_each_other) {
  Rows A = random(80, 4, 13);
  A.col(3) = A.col(0) - 2.0 * A.col(2);
  const Report report = solved(data(A, random(80, 1, 14)));
  const Statistics& s = *report.statistics;
  EXPECT_EQ(s.rank, 3);
  EXPECT_EQ(s.degrees_of_freedom, 77.0);
  EXPECT_EQ(s.residual_variance.size(), 1u);
  EXPECT_TRUE(s.standard_errors.empty());
  EXPECT_TRUE(s.t_values.empty());
  EXPECT_TRUE(warns(report, "A has rank 3 of 4 columns"));
}

TEST(statistics, leave_out_what_a_ridge_bounds_or_too_few_rows_do_not_allow) {
  const Rows A = random(30, 4, 15), b = random(30, 1, 16);
  ProblemData ridge = data(A, b), bounded = data(A, b);
  ridge.ridge = 0.5;
  bounded.lower = {-0.01};
  bounded.upper = {0.01};
  const Rows wide = random(4, 6, 17);
  for (const auto& [parts, words] : {std::pair{ridge, "a ridge term"},
                                     {bounded, "bounds"},
                                     {data(wide, random(4, 1, 18)), "4 observations"}}) {
    const Report report = solved(parts);
    EXPECT_TRUE(warns(report, words)) << words;
    EXPECT_FALSE(report.statistics->degrees_of_freedom) << words;
    EXPECT_TRUE(report.statistics->residual_variance.empty()) << words;
    EXPECT_TRUE(report.statistics->standard_errors.empty()) << words;
    EXPECT_EQ(report.statistics->residual_sum_of_squares.size(), 1u) << words;
  }
  const double rss = (A * solution(solved(ridge)) - b).squaredNorm();
  EXPECT_NEAR(solved(ridge).statistics->residual_sum_of_squares[0] / rss, 1.0, 1e-12);
}

TEST(statistics, of_many_columns_are_the_residual_alone) {
  const Rows A = random(40, 3001, 19), b = random(40, 2, 20);
  SolveOptions options = with_method("lsqr");
  options.statistics = true;
  options.max_iterations = 3;
  const Report report = solve(Problem(data(A, b)), options);
  const Rows r = A * solution(report) - b;
  EXPECT_TRUE(warns(report, "up to 3000 columns"));
  EXPECT_FALSE(report.statistics->rank);
  for (Index c = 0; c < 2; ++c)
    EXPECT_NEAR(report.statistics->residual_sum_of_squares[to_size(c)], r.col(c).squaredNorm(),
                1e-11 * r.col(c).squaredNorm());
}

TEST(statistics, say_so_where_x_is_far_from_the_least_squares_solution) {
  const Rows A = random(500, 8, 21), b = A * random(8, 1, 22) + 0.1 * random(500, 1, 23);
  SolveOptions options = with_method("cgls");
  options.statistics = true;
  options.max_iterations = 2;
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_GT(*report.statistics->distance, 0.01);
  EXPECT_TRUE(warns(report, "standard errors away"));
  const Rows x = qr_solution(A, b);
  const double s = std::sqrt((A * x - b).squaredNorm() / 492.0);
  EXPECT_NEAR(*report.statistics->distance, (A * (solution(report) - x)).norm() / s,
              1e-9 * *report.statistics->distance);
  EXPECT_TRUE(warns(solved(consistent()), "fitted to rounding"));
}

TEST(statistics, do_not_depend_on_units_or_threads) {
  const Rows A = random(3000, 6, 24), b = random(3000, 1, 25);
  const Statistics plain = *solved(data(A, b), "direct").statistics;
  const Report tiny = solved(data(0x1p-500 * A, 0x1p+400 * b), "direct");
  ASSERT_TRUE(tiny.statistics);
  EXPECT_LE(apart(tiny.statistics->t_values, plain.t_values), 1e-11);
  SolveOptions options = with_method("direct");
  options.statistics = true;
  options.threads = 3;
  const Statistics three = *solve(Problem(data(A, b)), options).statistics;
  EXPECT_EQ(array_rows(three.standard_errors), array_rows(plain.standard_errors));
  EXPECT_EQ(three.residual_variance, plain.residual_variance);
}

TEST(statistics, of_several_ranks_are_those_of_one) {
  Rows A = random(301, 5, 28), b = random(301, 2, 29).array() + 3.0;
  A.col(2).setOnes();
  ProblemData parts = data(A, b);
  parts.weights.assign(301, 2.0);
  parts.weights[0] = 0.0;
  SolveOptions options = with_method("direct");
  options.statistics = true;
  const Statistics alone = *solve(Problem(parts), options).statistics;
  EXPECT_TRUE(alone.centred);
  for (const Report& report : solve_on_ranks(3, parts, options)) {
    const Statistics& s = *report.statistics;
    EXPECT_EQ(s.observations, 600.0);
    EXPECT_EQ(s.degrees_of_freedom, 595.0);
    EXPECT_TRUE(s.centred);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(s.residual_variance[c] / alone.residual_variance[c], 1.0, 1e-12);
      EXPECT_NEAR(*s.r_squared[c], *alone.r_squared[c], 1e-12);
    }
    EXPECT_LE(apart(s.standard_errors, alone.standard_errors), 1e-12);
  }
}

TEST(statistics, are_in_the_report_only_where_asked_for) {
  const Rows A = random(30, 3, 26), b = random(30, 2, 27);
  const auto json = nlohmann::json::parse(to_json(solved(data(A, b))));
  EXPECT_EQ(json["statistics"]["standard_errors"].size(), 2u);
  EXPECT_EQ(json["statistics"]["standard_errors"][0].size(), 3u);
  EXPECT_EQ(json["statistics"]["r_squared_about"], "zero");
  const Report without = solve(Problem(data(A, b)));
  EXPECT_FALSE(without.statistics);
  EXPECT_FALSE(nlohmann::json::parse(to_json(without)).contains("statistics"));
  const std::string csv = statistics_csv(solved(data(A, b)), {"a", "b, c", "d"});
  EXPECT_EQ(
      csv.rfind("right_hand_side,name,estimate,standard_error,t_value,p_value,lower,upper\n1,a,",
                0),
      0u);
  EXPECT_NE(csv.find("\n2,\"b, c\","), std::string::npos);
}

}  // namespace
}  // namespace polyak::test
