// Conjugate gradients with one read of A an iteration, beside CGLS with two.

#include <cmath>

#include "solve/run/setup.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// Two right-hand sides, weights, a ridge and a start: all that enters a step.
ProblemData rich() {
  ProblemData parts = data(random(250, 9, 71), random(250, 2, 72));
  for (Index i = 0; i < 250; ++i) parts.weights.push_back(0.5 + 0.01 * static_cast<double>(i % 90));
  parts.ridge = 0.3;
  parts.x0 = array(random(9, 2, 74));
  return parts;
}

Rows iterate(SolveSetup& setup, const Method& method) {
  const std::vector<double> x = setup.backend().host_copy(method.x());
  return Eigen::Map<const Rows>(x.data(), method.x().vectors(), method.x().length());
}

// In exact arithmetic they are the same; both lose some digits at a rate that
// the condition (below 3 here) and a few steps keep far under 1e-12.
TEST(one_read_conjugate_gradients, has_the_iterates_of_cgls) {
  const Problem problem(rich());
  SolveSetup one(problem, with_method("cg")), two(problem, with_method("cgls"));
  auto once = one.start(0), twice = two.start(0);
  for (Index k = 0; k < 8; ++k) {
    once->advance(k, k + 1);
    twice->advance(k, k + 1);
    const Rows expected = iterate(two, *twice);
    EXPECT_LE((iterate(one, *once) - expected).norm(), 1e-12 * expected.norm())
        << "iteration " << k;
  }
}

TEST(one_read_conjugate_gradients, reads_every_row_once_an_iteration) {
  const Problem problem(rich());
  SolveSetup one(problem, with_method("cg")), two(problem, with_method("cgls"));
  auto once = one.start(0), twice = two.start(0);
  once->advance(0, 4);
  twice->advance(0, 4);
  EXPECT_EQ(once->row_products(), 5 * 250);  // the first for the gradient at x0
  EXPECT_EQ(twice->row_products(), 10 * 250);
}

// The condition is about 600: the gradient must fall far below where the
// recursion alone, started at |A'b|, would still follow it.
TEST(one_read_conjugate_gradients, reaches_what_rounding_allows_on_noisy_data) {
  Rows A = random(400, 6, 81);
  for (Index j = 0; j < 6; ++j) A.col(j) *= std::pow(10.0, -0.5 * static_cast<double>(j));
  const Rows b = A * Rows::Ones(6, 1) + 0.1 * random(400, 1, 82);
  SolveOptions options = with_method("cg");
  options.tol = 1e-12;
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_LE(*report.relative_gradient, 1e-12);
  const Rows expected = qr_solution(A, b);
  // |e| <= |A'r|/lambda_min <= 1e-12 |A|_F |r|/lambda_min, 4e-8 here.
  EXPECT_LE((solution(report) - expected).norm(), 1e-7);
}

TEST(one_read_conjugate_gradients, ends_where_the_start_is_the_solution) {
  const Rows A = Rows::Identity(4, 4), x = Rows::Constant(4, 1, 2.0);
  ProblemData parts = data(A, x);
  parts.x0 = array(x);
  const Problem problem(parts);
  SolveSetup setup(problem, with_method("cg"));
  auto method = setup.start(0);
  EXPECT_EQ(method->row_products(), 0);  // nothing is read before an iteration is asked for
  method->advance(0, 3);
  EXPECT_TRUE(method->finished());
  EXPECT_EQ(iterate(setup, *method), x.transpose());
}

}  // namespace
}  // namespace polyak::test
