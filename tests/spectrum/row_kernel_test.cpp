// The fourth moments of the rows in the eigenbasis, against Eigen.

#include "spectrum/row_kernel.hpp"

#include <gtest/gtest.h>

#include "sampling/law.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

struct Kernels {
  Rows exact, sampled;
};

// K by its formula, and as row_kernel gives it from all rows or from a sample.
Kernels kernels(Sampling law, Index samples) {
  const Rows A = random(400, 5, 81);
  const Problem problem(data(A, Rows::Ones(400, 1)));
  ThreadTeam team(2);
  const MatrixFacts facts = gather_facts(problem, team);
  const Sampler sampler(law_weights(law, facts.norms2, {}));
  const Extremes found = exact_extremes(problem, facts, team, true);
  const RowKernel kernel = row_kernel(problem, facts, sampler, found.vectors, team, 1, samples);
  const Eigen::Map<const Rows> V(found.vectors.data(), 5, 5), K(kernel.K.data(), 5, 5);
  const Rows squares = (A * V.transpose()).cwiseAbs2();
  Eigen::VectorXd weights(400);
  for (Index i = 0; i < 400; ++i) weights(i) = 1.0 / sampler.probability(i);
  EXPECT_EQ(kernel.sampled, samples < 400);
  return {squares.transpose() * weights.asDiagonal() * squares, K};
}

TEST(row_kernel, of_all_rows_follows_its_formula) {
  for (Sampling law : {Sampling::row_norm, Sampling::uniform, Sampling::mixed}) {
    const auto [exact, ours] = kernels(law, 400);
    EXPECT_LE((exact - ours).norm(), 1e-12 * exact.norm());
  }
}

// The mean of 300 draws: relative standard errors of the entries are about
// 1/sqrt(300) = 0.06 here; 0.3 is five of them.
TEST(row_kernel, of_drawn_rows_estimates_it) {
  for (Sampling law : {Sampling::row_norm, Sampling::uniform}) {
    const auto [exact, ours] = kernels(law, 300);
    EXPECT_LE((exact - ours).norm(), 0.3 * exact.norm());
    EXPECT_GT((exact - ours).norm(), 0.0);
  }
}

}  // namespace
}  // namespace polyak::test
