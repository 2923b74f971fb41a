// Bounded least squares: equal to SciPy's answers, and right where SciPy was not asked.

#include <cmath>
#include <numeric>

#include "support/decompositions.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Vector = Eigen::VectorXd;

Vector given(const std::vector<double>& bound, Index d, double otherwise) {
  if (bound.empty()) return Vector::Constant(d, otherwise);
  if (bound.size() == 1) return Vector::Constant(d, bound[0]);
  return Eigen::Map<const Vector>(bound.data(), d);
}

// The largest |a_jᵀr| that the conditions do not allow, beside ‖a_j‖(‖b‖ + Σ‖a_k‖|x_k|): what
// a backward stable method leaves is a small multiple of eps, whatever the conditioning.
double broken_condition(const Rows& A, const Rows& b, const Rows& x, const Vector& lower,
                        const Vector& upper) {
  const Vector norms = A.colwise().norm();
  const Vector g = A.transpose() * (A * x - b);
  const double size = b.norm() + norms.dot(x.col(0).cwiseAbs());
  double worst = 0.0;
  for (Index j = 0; j < A.cols(); ++j) {
    EXPECT_GE(x(j), lower(j));
    EXPECT_LE(x(j), upper(j));
    double v = g(j);
    if (x(j) <= lower(j)) v = std::min(v, 0.0);
    if (x(j) >= upper(j)) v = std::max(v, 0.0);
    if (norms(j) > 0.0) worst = std::max(worst, std::abs(v) / (norms(j) * size));
  }
  return worst;
}

constexpr double rounding = 1e-13;

// Solved by the method, with the optimality conditions checked; x. Where r is hardly more than
// rounding, no x has a gradient of 1e-8 beside it: then the run may say so, if they hold.
Rows solved(const Rows& A, const Rows& b, const std::vector<double>& lower,
            const std::vector<double>& upper, const std::string& method = "active-set",
            bool to_rounding = false) {
  ProblemData parts = data(A, b);
  parts.lower = lower;
  parts.upper = upper;
  const Report report = solve(Problem(parts), with_method(method));
  if (!to_rounding || report.status != Status::stagnated) {
    EXPECT_EQ(report.status, Status::converged) << report.reason;
  }
  EXPECT_EQ(report.method, method == "auto" ? "active-set" : method);
  const Rows x = solution(report);
  EXPECT_LE(broken_condition(A, b, x, given(lower, A.cols(), -inf), given(upper, A.cols(), inf)),
            rounding);
  return x;
}

double difference(const Rows& x, const Rows& expected) {
  return (x - expected).norm() / std::max(1e-300, expected.norm());
}

// tests/data/bounded_least_squares.py, number by number.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  Index integer(std::uint64_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Index>((state_ >> 43) % below);
  }
  double number() { return static_cast<double>(integer(1u << 21) - (1 << 20)) / (1 << 20); }

 private:
  std::uint64_t state_;
};

struct Bounded {
  Rows A, b;
  std::vector<double> lower, upper;
};

Bounded bounded(std::uint64_t seed) {
  Draws draws(seed);
  const Index d = 1 + draws.integer(24), n = d + 1 + draws.integer(60);
  Bounded out{Rows(n, d), Rows(n, 1), {}, {}};
  for (Index i = 0; i < n * d; ++i) out.A.data()[i] = draws.number();
  for (Index i = 0; i < n; ++i) out.b(i) = draws.number();
  if (seed % 4 == 1)
    for (Index j = 1; j < d; j += 2) out.A.col(j) = out.A.col(j - 1) + out.A.col(j) / 256.0;
  if (seed % 4 == 2)
    for (Index j = 0; j < d; ++j)
      out.A.col(j) *= std::ldexp(1.0, static_cast<int>(draws.integer(9)) - 4);
  if (seed % 4 == 3) {
    Rows x(d, 1);
    for (Index j = 0; j < d; ++j) x(j) = static_cast<double>(draws.integer(7)) - 3.0;
    out.b = out.A * x + out.b / 1024.0;
  }
  for (Index j = 0; j < d; ++j) {
    const double middle = draws.number(), width = 1.0 + static_cast<double>(draws.integer(1 << 10));
    const Index sides = draws.integer(8);
    out.lower.push_back(sides == 0 || sides == 1 ? -inf : middle - width / 1024.0);
    out.upper.push_back(sides == 0 || sides == 2 ? inf : middle + width / 1024.0);
  }
  return out;
}

Rows column(const nlohmann::json& values) {
  Rows x(static_cast<Index>(values.size()), 1);
  for (std::size_t j = 0; j < values.size(); ++j) x(static_cast<Index>(j)) = values[j];
  return x;
}

TEST(active_set, equals_scipys_nnls_and_bvls_on_sixty_problems) {
  std::ifstream file(std::string(POLYAK_TEST_DATA) + "/bounded_least_squares.json");
  const auto answers = nlohmann::json::parse(file)["problems"];
  ASSERT_EQ(answers.size(), 60u);
  for (const auto& answer : answers) {
    const Bounded p = bounded(answer["seed"]);
    SCOPED_TRACE("seed " + answer["seed"].dump());
    for (const char* method : {"active-set", "auto"}) {
      EXPECT_LE(difference(solved(p.A, p.b, {0.0}, {}, method), column(answer["nnls"])), 1e-9);
      EXPECT_LE(difference(solved(p.A, p.b, p.lower, p.upper, method), column(answer["bvls"])),
                1e-9);
    }
  }
}

// One unknown at 0, two columns that nearly coincide: projected gradients took 12,500 passes
// and stopped 21 % off.
TEST(active_set, solves_a_small_ill_conditioned_problem_with_x_not_negative) {
  for (double apart : {1e-2, 1e-4, 1e-6}) {
    Rows A = random(800, 5, 3);
    A.col(4) = A.col(0) + apart * A.col(4);
    Rows planted(5, 1);
    planted << 1.0, -2.0, 3.0, 0.1, 2.0;
    const Rows b = A * planted + random(800, 1, 4);
    const Rows x = solved(A, b, {0.0}, {}, "auto");
    // On the free columns the answer is that of Eigen's QR.
    std::vector<Index> free;
    for (Index j = 0; j < 5; ++j)
      if (x(j) > 0.0) free.push_back(j);
    const Rows expected = qr_solution(A(Eigen::all, free), b);
    EXPECT_LE(difference(x(free, Eigen::all), expected), 1e-9) << apart;
  }
}

TEST(active_set, ends_at_the_conditions_whatever_the_conditioning) {
  for (const auto& [condition, noise] :
       {std::pair{1e5, 0.0}, {1e5, 0.1}, {1e8, 0.01}, {1e10, 0.0}, {1e10, 1e-6}, {1e13, 0.0}}) {
    for (unsigned seed : {1u, 2u, 3u, 4u}) {
      const Rows left = orthonormal(random(200, 30, seed));
      const Rows right = orthonormal(random(30, 30, seed + 9));
      Rows A = left;
      for (Index j = 0; j < 30; ++j)
        A.col(j) *= std::pow(condition, -static_cast<double>(j) / 29.0);
      A = A * right;
      const Rows b = A * random(30, 1, seed + 20) + noise * random(200, 1, seed + 21);
      SCOPED_TRACE(std::to_string(condition) + ", noise " + std::to_string(noise));
      const bool to_rounding = condition > 1e12;
      solved(A, b, {0.0}, {}, "active-set", to_rounding);
      solved(A, b, {-0.3}, {0.4}, "active-set", to_rounding);
    }
  }
}

TEST(active_set, without_bounds_that_matter_is_least_squares) {
  const Rows A = random(90, 12, 5), b = random(90, 1, 6), expected = qr_solution(A, b);
  EXPECT_LE(difference(solved(A, b, {-100.0}, {100.0}), expected), 1e-13);
  EXPECT_LE(difference(solved(A, b, {}, {}), expected), 1e-13);
  EXPECT_LE(difference(solved(A, b, {-inf}, {inf}), expected), 1e-13);
}

// Columns times powers of two: the same decisions, and the same bits.
TEST(active_set, does_not_see_the_units_of_columns) {
  for (std::uint64_t seed : {4u, 5u, 6u, 7u, 8u}) {
    Bounded p = bounded(seed);
    const Rows plain = solved(p.A, p.b, p.lower, p.upper);
    Draws draws(seed);
    std::vector<double> units;
    for (Index j = 0; j < p.A.cols(); ++j) {
      const double unit = std::ldexp(1.0, static_cast<int>(draws.integer(81)) - 40);
      p.A.col(j) *= unit;
      p.lower[to_size(j)] /= unit;
      p.upper[to_size(j)] /= unit;
      units.push_back(unit);
    }
    ProblemData parts = data(p.A, p.b);
    parts.lower = p.lower;
    parts.upper = p.upper;
    SolveOptions options = with_method("active-set");
    options.tol = 0.0;  // the decisions of the method alone, not of a tolerance
    const Rows scaled = solution(solve(Problem(parts), options));
    for (Index j = 0; j < p.A.cols(); ++j)
      EXPECT_EQ(scaled(j) * units[to_size(j)], plain(j)) << "seed " << seed << ", " << j;
  }
}

TEST(active_set, does_not_see_the_order_of_columns) {
  for (std::uint64_t seed : {9u, 10u, 11u, 12u}) {
    const Bounded p = bounded(seed);
    const Index d = p.A.cols();
    std::vector<Index> order(to_size(d));
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
    std::rotate(order.begin(), order.begin() + d / 3, order.end());
    Bounded q{p.A(Eigen::all, order), p.b, {}, {}};
    for (Index j : order)
      q.lower.push_back(p.lower[to_size(j)]), q.upper.push_back(p.upper[to_size(j)]);
    const Rows x = solved(p.A, p.b, p.lower, p.upper);
    EXPECT_LE(difference(solved(q.A, q.b, q.lower, q.upper), x(order, Eigen::all)), 1e-10) << seed;
  }
}

TEST(active_set, keeps_fixed_unknowns_and_those_that_A_does_not_see) {
  Rows A = random(50, 6, 7);
  A.col(3).setZero();
  const Rows x = solved(A, random(50, 1, 8), {0.25, -inf, 0.0, 2.0, -inf, -0.1},
                        {0.25, inf, 0.0, 5.0, 0.01, inf});
  EXPECT_EQ(x(0), 0.25);
  EXPECT_EQ(x(2), 0.0);
  EXPECT_EQ(x(3), 2.0);
}

Report report_of(const Rows& A, const Rows& b, const std::vector<double>& lower,
                 const std::vector<double>& upper, const std::string& method = "active-set") {
  ProblemData parts = data(A, b);
  parts.lower = lower;
  parts.upper = upper;
  return solve(Problem(parts), with_method(method));
}

TEST(active_set, ends_and_says_so_where_columns_depend_on_each_other) {
  Rows A = random(200, 30, 9);
  A.rightCols(10) = A.leftCols(10) * random(10, 10, 10);
  for (const Rows& b :
       {random(200, 1, 11), Rows(A * Rows::Ones(30, 1)), Rows(A * random(30, 1, 12))}) {
    solved(A, b, {0.0}, {});
    solved(A, b, {-0.05}, {0.05});
    std::vector<double> lower(30, -inf);
    lower[3] = lower[25] = 0.0;
    solved(A, b, lower, {});
    const Report report = report_of(A, b, {0.0}, {});
    EXPECT_EQ(report.used.rank, 20);
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_NE(report.warnings[0].find("rank 20 of 30"), std::string::npos) << report.warnings[0];
  }
  A.col(29) = A.col(0);
  const Rows x = solved(A, A.col(0), {0.0}, {});
  EXPECT_LE((A * x - A.col(0)).norm(), 1e-13 * A.norm());
}

// By the threshold that is told, as for QR without bounds; its singular values fall gradually.
TEST(active_set, counts_the_rank_by_the_threshold_that_it_tells) {
  Rows A(400, 200);
  for (Index i = 0; i < 400; ++i)
    for (Index j = 0; j < 200; ++j) {
      const double t = static_cast<double>(i) / 399.0 - static_cast<double>(j) / 199.0;
      A(i, j) = std::exp(-200.0 * t * t);
    }
  const Report report = report_of(A, random(400, 1, 41), {0.0}, {});
  const Vector s = singular_values(A);
  const double line = *report.used.rank_threshold * s(0);
  EXPECT_EQ(report.used.rank, (s.array() > line).count());
  EXPECT_EQ(report.used.rank, solve(Problem(data(A, A.col(0))), with_method("direct")).used.rank);
}

TEST(active_set, tells_zero_and_constant_columns_as_dependent) {
  Rows A = random(300, 5, 42);
  A.col(1).setZero();
  A.col(3).setConstant(2.0);
  ProblemData parts = data(A, random(300, 1, 43));
  parts.lower = {-1e3};
  parts.intercept = true;
  const Report report = solve(Problem(parts), with_method("active-set"));
  EXPECT_EQ(report.used.rank, 4);
  ASSERT_EQ(report.dependent_columns.size(), 2u);
  EXPECT_EQ(report.dependent_columns[0].column, 1);
  EXPECT_TRUE(report.dependent_columns[0].on.empty());
  EXPECT_EQ(report.dependent_columns[1].column, 3);
  EXPECT_EQ(report.dependent_columns[1].on, std::vector<Index>{5});
}

TEST(active_set, takes_the_solution_nearest_to_the_start_where_bounds_allow_it) {
  const Rows A = random(5, 12, 13), b = A * Rows::Constant(12, 1, 1.0);
  const Rows nearest = least_norm_solution(A, b);
  EXPECT_LE(difference(solved(A, b, {-10.0}, {10.0}), nearest), 1e-12);
}

TEST(active_set, solves_wide_systems) {
  for (unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const Rows A = random(20, 60, seed), b = random(20, 1, seed + 30);
    solved(A, b, {0.0}, {});
    solved(A, b, {-0.1}, {0.1});
    solved(A, A * random(60, 1, seed + 60).cwiseAbs(), {0.0}, {2.0});
  }
}

TEST(active_set, takes_weights_ridge_start_and_several_right_hand_sides) {
  const Rows A = random(70, 9, 14), b = random(70, 3, 15);
  Vector weights(70);
  for (Index i = 0; i < 70; ++i) weights(i) = static_cast<double>(i % 4);
  const double ridge = 0.7;
  Rows stacked(79, 9), rhs(79, 3);
  stacked << weights.cwiseSqrt().asDiagonal() * A, std::sqrt(ridge) * Rows::Identity(9, 9);
  rhs << weights.cwiseSqrt().asDiagonal() * b, Rows::Zero(9, 3);
  for (const char* method : {"active-set", "bounded-cg"}) {
    ProblemData parts = data(A, b);
    parts.weights.assign(weights.data(), weights.data() + 70);
    parts.ridge = ridge;
    parts.lower = {-0.05};
    parts.upper = {0.1};
    parts.x0 = array(random(9, 3, 16));
    SolveOptions options = with_method(method);
    options.tol = 1e-14;
    const Rows x = solution(solve(Problem(parts), options));
    for (Index c = 0; c < 3; ++c)
      EXPECT_LE(broken_condition(stacked, rhs.col(c), x.col(c), Vector::Constant(9, -0.05),
                                 Vector::Constant(9, 0.1)),
                rounding)
          << method;
  }
}

TEST(active_set, takes_the_same_decisions_on_every_rank) {
  for (std::uint64_t seed : {13u, 14u, 15u, 16u}) {
    const Bounded p = bounded(seed);
    ProblemData parts = data(p.A, p.b);
    parts.lower = p.lower;
    parts.upper = p.upper;
    for (const char* method : {"active-set", "bounded-cg", "auto"}) {
      const Rows alone = solution(solve(Problem(parts), with_method(method)));
      for (Index ranks : {2, 3}) {
        const auto reports = solve_on_ranks(ranks, parts, with_method(method));
        for (const Report& report : reports) EXPECT_EQ(solution(report), solution(reports[0]));
        EXPECT_LE(difference(solution(reports[0]), alone),
                  std::string(method) == "bounded-cg" ? 1e-5 : 1e-10)
            << seed << method;
      }
    }
  }
}

// What the one is to many columns the other is exactly.
TEST(bounded_cg, ends_where_the_active_set_method_does) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Bounded p = bounded(seed);
    ProblemData parts = data(p.A, p.b);
    parts.lower = p.lower;
    parts.upper = p.upper;
    const Rows exact = solution(solve(Problem(parts), with_method("active-set")));
    SolveOptions options = with_method("bounded-cg");
    options.tol = 1e-13;
    const Report report = solve(Problem(parts), options);
    EXPECT_EQ(report.status, Status::converged) << seed << ": " << report.reason;
    EXPECT_LE(difference(solution(report), exact), 1e-7) << seed;
  }
}

}  // namespace
}  // namespace polyak::test
