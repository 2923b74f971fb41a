// Facts about A on several ranks: those of one machine.

#include "polyak/ranks.hpp"

#include "core/thread_team.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/row_kernel.hpp"
#include "spectrum/sketch.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::ranks {
using namespace polyak::internal;

namespace {

MatrixFacts facts_of(const Problem& problem) {
  ThreadTeam team(1);
  return gather_facts(problem, team);
}

// So that together they draw the rows that one would.
TEST(ranks, know_the_norms_of_their_rows_to_the_last_bit) {
  Rows A = random(101, 7, 1);
  A.col(3).setZero();
  A.row(17).setZero();
  A.row(90).setZero();
  const ProblemData whole = data(A, random(101, 2, 2));
  const MatrixFacts alone = facts_of(Problem(whole));
  for (Index ranks : {2, 3, 4}) {
    const auto of_ranks = on_ranks<MatrixFacts>(ranks, whole, facts_of);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      const MatrixFacts& facts = of_ranks[rank];
      const RowRange own = even_share(101, static_cast<Index>(rank), ranks);
      ASSERT_EQ(facts.norms2.size(), 101u);
      for (Index i = 0; i < 101; ++i)
        EXPECT_EQ(facts.norms2[to_size(i)],
                  i >= own.first && i < own.last ? alone.norms2[to_size(i)] : 0.0);
      EXPECT_EQ(facts.frobenius2, alone.frobenius2);
      EXPECT_EQ(facts.zero_columns, alone.zero_columns);
      EXPECT_EQ(facts.zero_rows, 2);
      EXPECT_EQ(facts.zero_rows_with_rhs, 2);
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_NEAR(facts.b_norms[c], alone.b_norms[c], 1e-14 * alone.b_norms[c]);
    }
  }
}

TEST(ranks, estimate_the_ends_of_the_spectrum_alike) {
  const ProblemData whole = consistent(600, 50);
  const auto lanczos = [](const Problem& problem) {
    ThreadTeam team(1);
    return lanczos_extremes(problem, gather_facts(problem, team), team, 11, 12);
  };
  const auto sketch = [](const Problem& problem) {
    ThreadTeam team(1);
    return sketch_extremes(problem, gather_facts(problem, team), team, 11);
  };
  for (const auto& ends : {std::function<Extremes(const Problem&)>(lanczos), {sketch}}) {
    const Extremes alone = ends(Problem(whole));
    for (Index ranks : {2, 3}) {
      const auto found = on_ranks<Extremes>(ranks, whole, ends);
      for (const Extremes& e : found) {
        EXPECT_EQ(e.lambda_max, found.front().lambda_max);
        EXPECT_EQ(e.lambda_min, found.front().lambda_min);
        EXPECT_EQ(e.rank, alone.rank);
        EXPECT_NEAR(e.lambda_max, alone.lambda_max, 1e-10 * alone.lambda_max);
        EXPECT_NEAR(e.lambda_min, alone.lambda_min, 1e-10 * alone.lambda_max);
      }
    }
  }
}

// About four entries a row: AᵀA of each rank's rows goes entry by entry.
ProblemData sparse(Index rows, Index cols) {
  const Rows values = random(rows, cols, 15);
  std::vector<Triplet> entries;
  for (Index i = 0; i < rows; ++i)
    for (Index t = 0; t < 4; ++t) {
      const Index j = (i * (2 * t + 1) + 7 * t) % cols;
      entries.push_back({i, j, values(i, j)});
    }
  ProblemData out;
  out.A = csr_from_triplets(std::move(entries), rows, cols);
  out.b = array(random(rows, 1, 16));
  return out;
}

TEST(ranks, know_the_exact_spectrum_of_sparse_rows) {
  const ProblemData whole = sparse(300, 40);
  const auto exact = [](const Problem& problem) {
    ThreadTeam team(1);
    return exact_extremes(problem, gather_facts(problem, team), team, false);
  };
  const Extremes alone = exact(Problem(whole));
  ASSERT_GT(alone.lambda_min, 0.0);
  for (Index ranks : {2, 3}) {
    const auto found = on_ranks<Extremes>(ranks, whole, exact);
    for (const Extremes& e : found) {
      EXPECT_EQ(e.lambda_min, found.front().lambda_min);
      EXPECT_NEAR(e.lambda_max, alone.lambda_max, 1e-13 * alone.lambda_max);
      EXPECT_NEAR(e.lambda_min, alone.lambda_min, 1e-13 * alone.lambda_max);
    }
  }
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (double v : b) largest = std::max(largest, std::abs(v));
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-13 * largest);
}

TEST(ranks, sketch_and_sample_the_rows_of_one_machine) {
  const ProblemData whole = consistent(700, 6);
  const auto sketch = [](const Problem& problem) {
    ThreadTeam team(1);
    const Buffer s = sparse_sign_sketch(problem, {}, 48, 5, team);
    return std::vector<double>(s.data(), s.data() + s.rows() * s.cols());
  };
  const auto kernel = [](const Problem& problem) {
    ThreadTeam team(1);
    const MatrixFacts facts = gather_facts(problem, team);
    const Extremes e = exact_extremes(problem, facts, team, true);
    const Partition own = partition(problem.A());
    const auto norms2 =
        std::span(facts.norms2).subspan(to_size(own.first), to_size(own.rows->rows()));
    const Sampler sampler(law_weights(Sampling::row_norm, norms2, {}), own.first,
                          *own.communicator);
    return row_kernel(problem, facts, sampler, e.vectors, team, 3, 200).K;
  };
  const auto alone_sketch = sketch(Problem(whole)), alone_kernel = kernel(Problem(whole));
  for (Index ranks : {2, 4}) {
    for (const auto& found : on_ranks<std::vector<double>>(ranks, whole, sketch))
      expect_near(found, alone_sketch);
    for (const auto& found : on_ranks<std::vector<double>>(ranks, whole, kernel))
      expect_near(found, alone_kernel);
  }
}

}  // namespace
}  // namespace polyak::test::ranks
