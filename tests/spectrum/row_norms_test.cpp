// Norms of rows that are not kept, against those that are: every fact has the same bits.

#include "spectrum/row_norms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "problems.hpp"
#include "sampling/law.hpp"
#include "spectrum/facts.hpp"
#include "spectrum/normal_equations.hpp"

namespace polyak::test {
namespace {

constexpr Index all = std::numeric_limits<Index>::max();

MatrixFacts facts_of(const Problem& problem, Index most_kept, int threads = 3) {
  ThreadTeam team(threads);
  return gather_facts(problem, team, nullptr, most_kept);
}

void expect_same(const Problem& problem) {
  const MatrixFacts kept = facts_of(problem, all, 1);
  for (const int threads : {1, 2, 3, 7}) {
    const MatrixFacts summed = facts_of(problem, 0, threads);
    ASSERT_TRUE(summed.blocks && summed.norms2.empty() && !kept.blocks);
    EXPECT_EQ(summed.frobenius2, kept.frobenius2);
    EXPECT_TRUE(same_bits(summed.column_norms, kept.column_norms));
    EXPECT_TRUE(same_bits(summed.b_norms, kept.b_norms));
    EXPECT_EQ(summed.scale.a, kept.scale.a);
    EXPECT_EQ(summed.scale.b, kept.scale.b);
    EXPECT_EQ(summed.zero_rows, kept.zero_rows);
    EXPECT_EQ(summed.zero_rows_with_rhs, kept.zero_rows_with_rhs);
    EXPECT_EQ(summed.zero_columns, kept.zero_columns);
    EXPECT_EQ(summed.rows_read, kept.rows_read);
    const UsedRows& used = summed.blocks->used;
    ASSERT_EQ(used.rows(), problem.rows());
    for (Index i = 0; i < used.rows(); ++i)
      ASSERT_EQ(used.has(i), kept.norms2[to_size(i)] > 0.0) << i;
    if (used.count() == 0) continue;
    const Sampler table(law_weights(Sampling::uniform, kept.norms2, {}));
    const Sampler even = Sampler::even({summed.blocks, &used});
    EXPECT_EQ(even_eta(problem, *summed.blocks, even, summed.scale.a, summed.frobenius2),
              sampling_eta(table, kept.norms2, kept.frobenius2));
  }
}

// Rows 0 to 10 of each 37 are zero, and a whole block.
Matrix with_zero_rows(Matrix A) {
  for (Index i = 0; i < A.rows(); ++i)
    if (i % 37 < 11 || (i >= UsedRows::block_rows && i < 2 * UsedRows::block_rows))
      A.row(i).setZero();
  return A;
}

Vector some_weights(Index n) {
  Vector w = normal(n, 1, 61).cwiseAbs();
  for (Index i = 0; i < n; i += 5) w(i) = 0.0;
  return w;
}

TEST(RowNorms, ThatAreNotKeptGiveTheSameFacts) {
  for (const Index n : {1, 2, 100, 4095, 4096, 4097, 30000}) {
    SCOPED_TRACE(n);
    for (const Index d : {1, 3, 17}) {
      const Matrix A = sparse_normal(n, d, 62), b = normal(n, 2, 63);
      for (const Matrix& rows : {A, with_zero_rows(A)}) {
        expect_same(dense_problem(rows, b));
        expect_same(sparse_problem(rows, b));
        expect_same(dense_problem(rows, b, some_weights(n)));
        expect_same(sparse_problem(rows, b, some_weights(n)));
      }
    }
  }
}

TEST(RowNorms, ThatAreNotKeptGiveTheSameFactsOfAwkwardNumbers) {
  const Index n = 9000;
  const Matrix b = normal(n, 1, 65);
  Matrix far = normal(n, 4, 64);
  for (Index i = 0; i < n; ++i) far.row(i) *= std::pow(10.0, static_cast<double>(i % 280) - 140.0);
  far.col(2) *= 1e-160;
  expect_same(dense_problem(far, b));
  for (const double size : {1e200, 1e-200, 5e-324, std::numeric_limits<double>::max()})
    expect_same(dense_problem(Matrix::Constant(n, 2, size), b));
  // Rows of weight 0 take no part, whatever their size.
  Matrix huge = normal(n, 4, 66);
  Vector w = Vector::Ones(n);
  huge.row(4500).setConstant(1e300);
  w(4500) = 0.0;
  expect_same(dense_problem(huge, b, w));
  expect_same(dense_problem(Matrix::Zero(n, 3), b));
  // The largest row on either side of the one where probabilities change by one point.
  const Index more = static_cast<Index>((std::uint64_t{1} << 62) % static_cast<std::uint64_t>(n));
  for (const Index row : {more - 1, more}) {
    Matrix one = normal(n, 3, 67);
    one.row(row) *= 1000.0;
    expect_same(dense_problem(one, b));
  }
}

TEST(RowNorms, ThatAreNotKeptTellTheFirstValueThatIsNotFinite) {
  Matrix A = normal(9000, 3, 68);
  A(5000, 1) = std::numeric_limits<double>::quiet_NaN();
  A(7000, 2) = std::numeric_limits<double>::infinity();
  Matrix b = normal(9000, 1, 69);
  const auto where = [](const Problem& problem) -> std::string {
    try {
      facts_of(problem, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      return error.parts().where;
    }
    return "none";
  };
  EXPECT_EQ(where(dense_problem(A, b)), "A, row 5001, column 2 (counted from 1)");
  Vector w = Vector::Ones(9000);
  w(5000) = 0.0;  // it must be finite all the same
  EXPECT_EQ(where(dense_problem(A, b, w)), "A, row 5001, column 2 (counted from 1)");
  b(8000, 0) = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(where(dense_problem(normal(9000, 3, 70), b)), "b, row 8001 (counted from 1)");
}

// The sweep for the normal equations counts zero rows without a list of them.
TEST(RowNorms, OfASweepCountTheSameZeroRows) {
  const Index n = 9000;
  const Matrix A = with_zero_rows(normal(n, 4, 71));
  Matrix b = normal(n, 1, 72);
  for (Index i = 0; i < n; i += 3) b(i, 0) = 0.0;
  for (const auto& problem :
       {dense_problem(A, b), sparse_problem(A, b), dense_problem(A, b, some_weights(n))}) {
    ThreadTeam team(3);
    const MatrixFacts swept = sweep(problem, team).facts, kept = facts_of(problem, all);
    EXPECT_GT(kept.zero_rows, 4000);
    EXPECT_EQ(swept.zero_rows, kept.zero_rows);
    EXPECT_EQ(swept.zero_rows_with_rhs, kept.zero_rows_with_rhs);
  }
}

}  // namespace
}  // namespace polyak::test
