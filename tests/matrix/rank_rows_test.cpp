// The rows of one rank, seen as the whole matrix.

#include "matrix/rank_rows.hpp"

#include "polyak/ranks.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// The second of three ranks, without the others.
class SecondOfThree final : public Communicator {
 public:
  Index rank() const override { return 1; }
  Index size() const override { return 3; }
  void sum(std::span<double>) override {}
  void max(std::span<double>) override {}
  void broadcast(std::span<double>, Index) override {}
  void exchange(std::span<const std::vector<std::uint64_t>>, std::vector<std::uint64_t>&) override {
  }
};

TEST(rank_rows, gives_every_row_to_one_rank) {
  for (Index rows : {0, 1, 3, 10, 17}) {
    for (Index ranks : {1, 2, 3, 4, 7}) {
      Index next = 0;
      for (Index rank = 0; rank < ranks; ++rank) {
        const RowRange range = even_share(rows, rank, ranks);
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.last - range.first, rows / ranks + 1);
        next = range.last;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(rank_rows, reads_zeros_where_the_rows_are_elsewhere) {
  const Rows A = random(6, 3, 1), x = random(1, 3, 2), b = random(6, 1, 3);
  Rows masked = A, masked_b = b;
  masked.topRows(2).setZero();
  masked.bottomRows(1).setZero();
  masked_b.topRows(2).setZero();
  masked_b.bottomRows(1).setZero();
  const MatrixPtr part =
      rank_rows(rows_between(matrix(A), {2, 5}), 2, 6, std::make_shared<SecondOfThree>());
  Rows y = Rows::Constant(6, 1, 7.0), copy = Rows::Constant(6, 3, 7.0), g = Rows::Zero(1, 3);
  part->multiply(0, 6, {x.data(), 1, 3, 3}, {y.data(), 6, 1, 1});
  part->copy_rows(0, 6, {copy.data(), 6, 3, 3});
  EXPECT_LE((y - masked * x.transpose()).norm(), 1e-15);
  EXPECT_EQ(copy, masked);
  const Index rows[] = {0, 2, 2, 4, 5};
  const double weights[] = {1, 2, 3, 4, 5};
  part->gradient(rows, weights, {}, {x.data(), 1, 3, 3}, {masked_b.data(), 6, 1, 1},
                 {g.data(), 1, 3, 3});
  Rows expected = Rows::Zero(1, 3);
  for (int t = 0; t < 5; ++t)
    expected +=
        weights[t] * (masked.row(rows[t]).dot(x.row(0)) - masked_b(rows[t])) * masked.row(rows[t]);
  EXPECT_LE((g - expected).norm(), 1e-14);
  std::vector<double> norms(6, -1.0);
  part->norms(0, 6, 1.0, norms, {});
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(norms[to_size(i)], masked.row(i).squaredNorm(), 1e-14);
  EXPECT_EQ(part->max_abs(0, 2), 0.0);
  EXPECT_EQ(part->max_abs(0, 6), masked.cwiseAbs().maxCoeff());
}

TEST(rank_rows, keeps_single_precision_and_sparse_rows_as_they_are) {
  const Rows A = random(9, 4, 4);
  for (Keep keep : {Keep::view, Keep::copy}) {
    const MatrixPtr part = rows_between(to_single(matrix(A)), {3, 7}, keep);
    Rows copy(4, 4);
    part->copy_rows(0, 4, {copy.data(), 4, 4, 4});
    EXPECT_EQ(part->kind(), "dense, single");
    EXPECT_EQ(copy, Rows(A.middleRows(3, 4).cast<float>().cast<double>()));
  }
  const MatrixPtr sparse = csr_from_triplets({{0, 1, 2.0}, {2, 0, 3.0}, {2, 3, 4.0}}, 4, 5);
  const MatrixPtr part = rows_between(sparse, {1, 3});
  EXPECT_EQ(part->nonzeros(), 2);
  EXPECT_EQ(part->kind(), "csr, double, 32-bit columns");
  EXPECT_EQ(rows_between(to_single(sparse), {1, 3})->kind(), "csr, single, 32-bit columns");
  EXPECT_THROW(rows_between(sparse, {1, 5}), Error);
  EXPECT_THROW(rank_rows(part, 3, 4, std::make_shared<SecondOfThree>()), Error);
}

TEST(rank_rows, agree_on_the_largest_value) {
  const ProblemData whole = data(random(8, 2, 5), random(8, 1, 6));
  for (const auto& values : std::vector<std::vector<double>>{
           {0, 0, 0}, {1.5, 1.25, 1.5}, {1e-310, 2e-310, 0}, {1e300, INFINITY, 3}, {5, 7, 6}}) {
    const auto found = on_ranks<double>(3, whole, [&](const Problem& problem) {
      return largest_of_ranks(problem.A(), values[to_size(partition(problem.A()).rank())]);
    });
    for (double v : found) EXPECT_EQ(v, *std::max_element(values.begin(), values.end()));
  }
  for (double v : on_ranks<double>(3, whole, [](const Problem& problem) {
         return largest_of_ranks(problem.A(), partition(problem.A()).rank() == 1 ? NAN : INFINITY);
       }))
    EXPECT_TRUE(std::isnan(v));
}

TEST(communicator, of_one_process_leaves_values_as_they_are) {
  Communicator& single = Communicator::single();
  double values[] = {3.0, -1.0};
  single.sum(values);
  single.max(values);
  single.broadcast(values, 0);
  EXPECT_EQ(values[0], 3.0);
  EXPECT_EQ(values[1], -1.0);
  EXPECT_EQ(single.rank(), 0);
  EXPECT_EQ(single.size(), 1);
  const auto gathered = all_gather<2>(single, {7, 8});
  EXPECT_EQ(gathered, (std::vector<std::array<std::uint64_t, 2>>{{7, 8}}));
}

TEST(communicator, gathers_words_in_the_order_of_ranks) {
  const ProblemData whole = data(random(8, 2, 5), random(8, 1, 6));
  using Words = std::vector<std::array<std::uint64_t, 2>>;
  for (const Words& words : on_ranks<Words>(3, whole, [](const Problem& problem) {
         Communicator& ranks = communicator(problem.A());
         const auto rank = static_cast<std::uint64_t>(ranks.rank());
         return all_gather<2>(ranks, {rank, ~rank});
       }))
    EXPECT_EQ(words, (Words{{0, ~0ull}, {1, ~1ull}, {2, ~2ull}}));
}

TEST(partition, of_a_matrix_in_one_process_is_the_matrix) {
  const MatrixPtr A = matrix(random(6, 3, 1));
  const Partition own = partition(*A);
  EXPECT_EQ(own.rows, A.get());
  EXPECT_EQ(own.first, 0);
  EXPECT_EQ(own.last(), 6);
  EXPECT_EQ(own.communicator, &Communicator::single());
}

}  // namespace
}  // namespace polyak::test
