// What every method promises, whatever its mathematics.

#include <cstring>

#include "polyak/methods.hpp"
#include "solve/run/setup.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::conformance {
using namespace polyak::internal;

namespace {

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  const std::string& method() const { return GetParam(); }
  bool sampled() const { return find_method(method())->sampled; }
  bool factors() const { return method() == "direct" || method() == "active-set"; }
  bool heeds(unsigned trait) const { return (find_method(method())->traits & trait) != 0; }
  SolveOptions fixed(Index iterations) const {
    SolveOptions o = ample(method());
    o.tol = 0.0;
    o.max_iterations = iterations;
    return o;
  }
};

void expect_same_bits(const Rows& a, const Rows& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(0,
            std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())));
}

TEST_P(EveryMethod, converges_on_a_consistent_system) {
  SolveOptions options = ample(method());
  options.tol = 1e-10;
  const Report report = solve(Problem(consistent()), options);
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.method, method());
  // |r| <= tol(|A||x| + |b|) <= 2 tol |A|_F |x| and |e| <= |r|/sqrt(lambda_min),
  // with |A|_F^2 = 44 and lambda_min = 1 here.
  EXPECT_LE(*report.error, 2.0 * 1e-10 * std::sqrt(44.0));
}

TEST_P(EveryMethod, gives_the_same_bits_for_any_number_of_threads) {
  const Problem problem(consistent(5000, 40));
  SolveOptions options = fixed(sampled() ? 60 : 7);
  const Rows one = solution(solve(problem, options));
  for (Index threads : {2, 3, 7}) {
    options.threads = threads;
    expect_same_bits(one, solution(solve(problem, options)));
  }
}

TEST_P(EveryMethod, gives_the_same_bits_when_stopped_and_continued) {
  const auto problem = std::make_shared<const Problem>(consistent());
  // cg is exact to the last bit before 37: whoever measures there is done.
  const bool early = method() == "cg" || method() == "bounded-cg";
  const Index stop = factors() ? 1 : early ? 4 : 37, end = early ? 7 : 60;
  Solver straight(problem, fixed(end));
  (void)straight.run();
  Solver stopped(problem, fixed(stop));
  (void)stopped.run();
  Solver resumed(problem, fixed(end));  // another process, say
  resumed.restore(stopped.state());
  (void)resumed.run();
  stopped.set_limits(end, std::nullopt);
  (void)stopped.run();
  EXPECT_EQ(straight.state().vectors, stopped.state().vectors);
  EXPECT_EQ(straight.state().vectors, resumed.state().vectors);
  EXPECT_EQ(straight.state().row_products, resumed.state().row_products);
}

TEST_P(EveryMethod, advances_ten_as_four_and_six) {
  const Problem problem(consistent());
  SolveSetup setup(problem, ample(method()));
  auto whole = setup.start(3), parts = setup.start(3);
  whole->advance(0, 10);
  parts->advance(0, 4);
  parts->advance(4, 10);
  EXPECT_EQ(whole->save().vectors, parts->save().vectors);
}

TEST_P(EveryMethod, repeats_itself_for_a_seed_and_differs_for_another) {
  const Problem problem(consistent());
  SolveOptions options = fixed(sampled() ? 20 : 3);
  const Rows first = solution(solve(problem, options));
  expect_same_bits(first, solution(solve(problem, options)));
  options.seed = 12345;
  const bool same = first == solution(solve(problem, options));
  EXPECT_EQ(same, !sampled() && method() != "sketch-hbm");
}

TEST_P(EveryMethod, solves_several_right_hand_sides_as_it_solves_each) {
  const Rows A = random(200, 6, 5), x = random(6, 3, 6), b = A * x;
  const Rows together = solution(solve(Problem(data(A, b)), fixed(25)));
  for (Index c = 0; c < 3; ++c) {
    const Rows alone = solution(solve(Problem(data(A, b.col(c))), fixed(25)));
    // One factorisation of [A b] serves all: equal to rounding only.
    if (factors() || method() == "sketch-hbm")
      EXPECT_LE((alone - together.col(c)).norm(), 1e-13 * alone.norm());
    else
      expect_same_bits(alone, together.col(c));
  }
}

TEST_P(EveryMethod, scales_exactly_with_powers_of_two) {
  const Rows A = random(120, 5, 7), b = A * random(5, 1, 8);
  const SolveOptions options = fixed(sampled() ? 40 : 8);
  const Rows plain = solution(solve(Problem(data(A, b)), options));
  for (auto [k, m] :
       {std::pair{3, -5}, {40, 40}, {-60, 10}, {-660, 0}, {660, 0}, {0, 660}, {300, -300}}) {
    const Rows scaled =
        solution(solve(Problem(data(std::ldexp(1.0, k) * A, std::ldexp(1.0, m) * b)), options));
    SCOPED_TRACE("A times 2^" + std::to_string(k) + ", b times 2^" + std::to_string(m));
    expect_same_bits(std::ldexp(1.0, m - k) * plain, scaled);
  }
}

TEST_P(EveryMethod, reaches_the_least_norm_solution_of_a_wide_system) {
  const Rows A = random(5, 12, 9), b = A * random(12, 1, 10);
  SolveOptions options = ample(method());
  options.tol = 1e-11;
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  const Rows expected = least_norm_solution(A, b);
  EXPECT_LE((solution(report) - expected).norm(), 1e-8 * expected.norm());
}

TEST_P(EveryMethod, leaves_unknowns_of_zero_columns_at_their_start) {
  Rows A = random(100, 5, 11);
  A.col(2).setZero();
  ProblemData parts = data(A, A * random(5, 1, 12));
  Rows x0 = Rows::Zero(5, 1);
  x0(2) = 3.5;
  parts.x0 = array(x0);
  const Report report = solve(Problem(parts), ample(method()));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(solution(report)(2), x0(2));
  EXPECT_EQ(report.zero_columns, 1);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].find("cannot be identified"), std::string::npos);
}

TEST_P(EveryMethod, has_a_defined_answer_when_there_is_nothing_to_solve) {
  for (auto [n, d] : {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}, {4, 3}, {1, 1}}) {
    const Report report = solve(Problem(data(Rows::Zero(n, d), Rows::Zero(n, 1))), ample(method()));
    EXPECT_EQ(report.status, Status::converged) << n << " x " << d << ": " << report.reason;
    EXPECT_EQ(solution(report), Rows::Zero(d, 1));
  }
}

TEST_P(EveryMethod, solves_the_smallest_systems) {
  for (Index d : {1, 2, 3, 5}) {
    const Rows A = random(d + 2, d, static_cast<unsigned>(20 + d)), x = Rows::Ones(d, 1);
    SolveOptions options = ample(method());
    options.tol = 1e-12;
    const Report report = solve(Problem(data(A, A * x)), options);
    EXPECT_EQ(report.status, Status::converged) << "d = " << d << ": " << report.reason;
    EXPECT_LE((solution(report) - x).norm(), 1e-8) << "d = " << d;
  }
}

TEST_P(EveryMethod, honours_the_iteration_limit) {
  // Some of them are done, to the last bit, in one.
  SolveOptions options = fixed(factors() || method() == "normal" ? 0 : 3);
  const Report report = solve(Problem(consistent()), options);
  EXPECT_EQ(report.status, Status::limit);
  EXPECT_EQ(report.iterations, *options.max_iterations);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const MethodInfo& info : method_table()) out.push_back(info.name);
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, EveryMethod, testing::ValuesIn(names()), test_name);

}  // namespace
}  // namespace polyak::test::conformance
