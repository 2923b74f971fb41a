// What is told of rank and conditioning, and that a look at some rows does not
// speak for all of them.

#include <cmath>

#include "method/preconditioner.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::rank {
using namespace polyak::internal;

namespace {

Rows blurred(Index rows, Index cols, double width) {
  Rows A(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      const double t = static_cast<double>(i) / static_cast<double>(rows - 1);
      const double c = static_cast<double>(j) / static_cast<double>(cols - 1);
      A(i, j) = std::exp(-(t - c) * (t - c) / (2.0 * width * width));
    }
  return A;
}

double relative(const Rows& found, const Rows& expected) {
  return (found - expected).norm() / expected.norm();
}

TEST(conditions, of_a_triangular_factor_are_within_half_of_the_true_ones) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Index d = 2 + static_cast<Index>(7 * seed % 90);
    Rows R = random(d, d, seed).triangularView<Eigen::Upper>();
    // From well conditioned to the sort whose diagonal hides it (Kahan's).
    for (Index i = 0; i < d; ++i)
      R(i, i) = seed % 3 == 0 ? 1.0 : (R(i, i) > 0 ? 1.0 : -1.0) * (2.0 + std::abs(R(i, i)));
    const auto s = singular_values(R);
    const double truth = s(0) / s(d - 1);
    if (truth > 1e12) continue;
    Buffer copy(d, d);
    std::copy_n(R.data(), d * d, copy.data());
    const double found = Preconditioner::of_factor(std::move(copy)).condition();
    EXPECT_GE(found, truth * (1.0 - 1e-6)) << seed;
    EXPECT_LE(found, 1.5 * truth) << seed;
  }
}

// H⁺ from pivots, beside Eigen's: for g in the range of H and for any other.
TEST(conditions, a_few_dependent_columns_leave_the_pseudo_inverse_exact) {
  const Index d = 30;
  Rows A = random(200, d, 5);
  A.col(7) = A.col(2) - 3.0 * A.col(11);
  A.col(20) = 0.5 * A.col(0);
  const Rows H = A.transpose() * A, g = random(1, d, 6);
  const Preconditioner made = Preconditioner::of_matrix({H.data(), d, d, d});
  ASSERT_TRUE(made.built());
  EXPECT_FALSE(made.full_rank());
  EXPECT_EQ(made.rank(), d - 2);
  EXPECT_LE((A * Eigen::Map<const Rows>(made.null_space().data(), d, 2)).norm(), 1e-12 * A.norm());
  Rows z = g;
  made.apply({z.data(), 1, d, d});
  const Rows expected = least_norm_solution(H, g.transpose());
  EXPECT_LE((z.transpose() - expected).norm(), 1e-10 * expected.norm());
}

TEST(conditions, what_no_pivot_tells_apart_is_left_unbuilt) {
  const Rows A = blurred(400, 60, 0.06);
  const Rows H = A.transpose() * A;
  EXPECT_FALSE(Preconditioner::of_matrix({H.data(), 60, 60, 60}).built());
}

// Normal numbers whose products are none: one column 10⁻¹⁷⁰ of the others.
TEST(conditions, a_column_whose_square_is_no_number_counts_like_the_others) {
  Rows A = random(300, 4, 7);
  const Rows x = random(4, 1, 8), b = A * x + 0.1 * random(300, 1, 9);
  const Rows expected = qr_solution(A, b);
  A.col(1) *= 0x1p-565;
  for (const std::string method : {"normal", "auto", "direct", "cg"}) {
    const Report report = solve(Problem(data(A, b)), with_method(method));
    EXPECT_EQ(report.status, Status::converged) << method;
    Rows found = solution(report);
    found(1, 0) *= 0x1p-565;
    EXPECT_LE(relative(found, expected), 1e-9) << method;
  }
}

TEST(conditions, a_blur_that_A_transposed_A_cannot_resolve_is_solved_by_QR) {
  const Rows A = blurred(5000, 200, 0.01), x = random(200, 1, 1);
  const Report report = solve(Problem(data(A, A * x)), with_method("auto"));
  EXPECT_EQ(report.method, "direct");
  EXPECT_LE(relative(solution(report), x), 1e-6);
  EXPECT_NEAR(std::log10(*report.used.condition), std::log10(2.07e8), 0.2);
}

TEST(ranks_told, a_condition_of_1e10_on_many_rows_is_no_lack_of_rank) {
  const Index n = 50000;
  Rows A(n, 2);
  A.col(0) = random(n, 1, 2);
  A.col(1) = A.col(0) + 1e-10 * random(n, 1, 3);
  Rows x(2, 1);
  x << 7.0, 8.0;
  for (const std::string method : {"direct", "auto"}) {
    const Report report = solve(Problem(data(A, A * x)), with_method(method));
    EXPECT_EQ(report.used.rank, 2) << method;
    EXPECT_LE(relative(solution(report), x), 1e-4) << method;
    EXPECT_TRUE(report.dependent_columns.empty());
    ASSERT_EQ(report.warnings.size(), 1u) << method;
    EXPECT_NE(report.warnings[0].find("condition"), std::string::npos);
  }
}

using Groups = std::vector<std::vector<Index>>;

// Each dependent column with those it depends on: which of them is called dependent is up to
// the pivots.
Groups groups_of(const Report& report) {
  Groups out;
  for (const DependentColumn& one : report.dependent_columns) {
    out.push_back(one.on);
    out.back().push_back(one.column);
    std::sort(out.back().begin(), out.back().end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ranks_told, columns_that_depend_are_named_with_those_they_depend_on) {
  Rows A = random(400, 6, 4);
  A.col(3) = 2.0 * A.col(0) - A.col(2);
  A.col(5).setZero();
  const Report report = solve(Problem(data(A, random(400, 1, 5))), with_method("direct"));
  EXPECT_EQ(report.used.rank, 4);
  EXPECT_GT(*report.used.rank_threshold, 0.0);
  ASSERT_EQ(groups_of(report), (Groups{{0, 2, 3}, {5}}));
  EXPECT_EQ(report.dependent_columns[1].column, 5);
  EXPECT_TRUE(report.dependent_columns[1].on.empty());
}

// Columns of a category in all its levels, which sum to the intercept; a number in two units of
// which one has an offset (Celsius and Fahrenheit), and one in two units without.
TEST(ranks_told, beside_an_intercept_it_is_among_the_columns_where_it_has_to_be) {
  const Index n = 3000;
  Rows A = Rows::Zero(n, 8);
  for (Index i = 0; i < n; ++i) A(i, i * i % 7 % 3) = 1.0;
  A.rightCols(5) = random(n, 5, 11);
  A.col(4) = 1.8 * A.col(3).array() + 32.0;
  A.col(6) = 0.01 * A.col(5);
  for (const std::string method : {"normal", "direct", "auto", "active-set"}) {
    ProblemData parts = data(A, random(n, 1, 12));
    parts.intercept = true;
    if (method == "active-set") parts.lower = {-1e6};
    const Report report = solve(Problem(parts), with_method(method));
    EXPECT_EQ(report.used.rank, 6) << method;
    EXPECT_EQ(groups_of(report), (Groups{{0, 1, 2, 8}, {3, 4, 8}, {5, 6}})) << method;
  }
}

TEST(ranks_told, normal_equations_name_zero_columns_too_but_not_where_a_ridge_decides) {
  Rows A = random(300, 4, 13);
  A.col(1).setZero();
  A.col(3) = A.col(0) + A.col(2);
  ProblemData parts = data(A, random(300, 1, 14));
  const Report report = solve(Problem(parts), with_method("normal"));
  EXPECT_EQ(report.used.rank, 2);
  EXPECT_EQ(groups_of(report), (Groups{{0, 2, 3}, {1}}));
  parts.ridge = 0.1;
  EXPECT_TRUE(solve(Problem(parts), with_method("normal")).dependent_columns.empty());
}

TEST(ranks_told, dependent_columns_are_listed_by_name_the_first_few) {
  const auto name = [](Index j) { return std::string(1, static_cast<char>('a' + j)); };
  EXPECT_EQ(dependences_text({{3, {0, 1}}, {5, {}}}, name), "d depends on a, b; f is zero");
  EXPECT_EQ(dependences_text({{9, {0, 1, 2, 3, 4, 5, 6, 7}}}, name),
            "j depends on a, b, c, d, e, f and 2 others");
  EXPECT_EQ(dependences_text(std::vector<DependentColumn>(7), name),
            "a is zero; a is zero; a is zero; a is zero; a is zero; 2 more in the report");
}

TEST(ranks_told, scaled_columns_leave_the_solution_of_least_norm) {
  Rows A = random(300, 4, 6);
  A.col(1) *= 1e4;
  A.col(3) = A.col(0) + A.col(2);
  const Rows b = random(300, 1, 7);
  const Rows expected = least_norm_solution(A, b);
  const Report report = solve(Problem(data(A, b)), with_method("direct"));
  EXPECT_TRUE(report.used.column_scaling);
  EXPECT_LE(relative(solution(report), expected), 1e-11);
}

// A flag that is set in 20 of 100 000 rows.
TEST(looks, a_column_that_hardly_occurs_is_no_reason_to_leave_it_out) {
  const Index n = 100000, d = 20;
  Rows A = random(n, d, 8), x = random(d, 1, 9);
  A.col(d - 1).setZero();
  for (Index k = 0; k < 20; ++k) A(4999 * k + 77, d - 1) = 1.0;
  x(d - 1, 0) = 8.0;
  for (const std::string certify : {"full", "sampled"}) {
    SolveOptions options = with_method("auto");
    options.certify = certify;
    const Report report = solve(Problem(data(A, A * x)), options);
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_LE(relative(solution(report), x), 1e-8) << certify;
    EXPECT_NE(report.method, "direct") << certify;
  }
}

TEST(looks, rows_without_weight_are_neither_solved_nor_counted_as_checked) {
  const Index n = 60000, d = 10;
  const Rows A = random(n, d, 10), x = random(d, 1, 11);
  ProblemData parts = data(A, A * x);
  parts.weights.assign(n, 0.0);
  for (Index k = 0; k < 50; ++k) parts.weights[static_cast<std::size_t>(1187 * k + 5)] = 1.0;
  SolveOptions options = with_method("auto");
  options.certify = "sampled";
  const Report report = solve(Problem(parts), options);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(relative(solution(report), x), 1e-10);
  EXPECT_NE(report.certified, "sampled");
}

TEST(looks, a_start_decides_between_solutions_of_dependent_columns) {
  const Index n = 60000, d = 12;
  Rows A = random(n, d, 12);
  A.col(7) = A.col(3);
  const Rows x = random(d, 1, 13);
  ProblemData parts = data(A, A * x);
  parts.x0 = array(x);
  const Report report = solve(Problem(parts), with_method("auto"));
  EXPECT_LE(relative(solution(report), x), 1e-9);
}

// Zeros and ones, several of 200 columns a row: some columns occur in no row looked at.
TEST(looks, sparse_rows_of_full_rank_are_not_called_dependent) {
  const Index n = 60000, d = 200;
  std::vector<Triplet> entries;
  Rows x = random(d, 1, 14), b = Rows::Zero(n, 1);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < 3; ++k) {
      // Columns ever rarer: the last ones occur a few times in all.
      const double u = static_cast<double>((i * 7919 + k * 104729) % 65537) / 65537.0;
      const Index j =
          std::min<Index>(d - 1, static_cast<Index>(static_cast<double>(d) * u * u * u));
      entries.push_back({i, j, 1.0});
      b(i, 0) += x(j, 0);
    }
  ProblemData parts;
  parts.A = csr_from_triplets(entries, n, d);
  parts.b = array(b);
  const Report report = solve(Problem(parts), with_method("auto"));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  for (const Stage& stage : report.stages)
    EXPECT_EQ(stage.outcome.find("depend"), std::string::npos) << stage.outcome;
  EXPECT_NE(report.method, "direct");
  EXPECT_LE(relative(solution(report), x), 1e-6);
}

TEST(looks, an_empty_column_does_not_take_normal_equations_away) {
  const Index n = 40000, d = 120;
  Rows A = random(n, d, 15);
  A.col(50).setZero();
  const Report report =
      solve(Problem(data(A, A * random(d, 1, 16) + random(n, 1, 17))), with_method("normal"));
  EXPECT_EQ(report.used.rank, d - 1);
  EXPECT_LT(*report.used.condition, 10.0);
  EXPECT_EQ(solution(report)(50, 0), 0.0);
}

}  // namespace
}  // namespace polyak::test::rank
