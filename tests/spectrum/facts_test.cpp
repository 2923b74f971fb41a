#include "spectrum/facts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "problems.hpp"
#include "spectrum/extremes.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

MatrixFacts facts_of(const Problem& problem, int threads = 2) {
  ThreadTeam team(threads);
  return gather_facts(problem, team);
}

// Sums of positive terms: n, d and a few roundings, twice.
void expect_facts(const MatrixFacts& facts, const Matrix& A, const Matrix& b, const Vector& w) {
  const Vector norms = w.asDiagonal() * A.rowwise().squaredNorm();
  const Index steps = A.rows() + A.cols() + 8;
  expect_close(Eigen::Map<const Vector>(facts.norms2.data(), std::ssize(facts.norms2)), norms,
               steps, norms, "norms");
  const double F2 = norms.sum();
  EXPECT_NEAR(facts.frobenius2, F2, static_cast<double>(steps) * eps * F2);
  const Vector b_norms = (w.asDiagonal() * b.cwiseAbs2()).colwise().sum().cwiseSqrt();
  expect_close(Eigen::Map<const Vector>(facts.b_norms.data(), b.cols()), b_norms, steps, b_norms,
               "b");
  Index zero_rows = 0, with_rhs = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    if (norms(i) != 0.0) continue;
    ++zero_rows;
    with_rhs += w(i) > 0.0 && (b.row(i).array() != 0.0).any();
  }
  EXPECT_EQ(facts.zero_rows, zero_rows);
  EXPECT_EQ(facts.zero_rows_with_rhs, with_rhs);
  std::vector<Index> zero_columns;
  for (Index j = 0; j < A.cols(); ++j)
    if ((w.array() * A.col(j).array().abs() == 0.0).all()) zero_columns.push_back(j);
  EXPECT_EQ(facts.zero_columns, zero_columns);
  const Vector columns = (w.asDiagonal() * A.cwiseAbs2()).colwise().sum().cwiseSqrt();
  expect_close(Eigen::Map<const Vector>(facts.column_norms.data(), A.cols()), columns, steps,
               columns, "columns");
}

// A copy elsewhere that answers with fixed numbers, or not at all.
class FixedSums final : public RowSums {
 public:
  explicit FixedSums(bool has) : has_(has) {}
  bool norms(const RowMatrix& A, std::span<const double>, double, Index chunks,
             std::span<double> rows, std::span<double> columns) override {
    EXPECT_GE(chunks, 1);
    EXPECT_EQ(std::ssize(rows), A.rows());
    if (!has_) return false;
    std::fill(rows.begin(), rows.end(), 4.0);
    std::fill(columns.begin(), columns.end(), 9.0);
    return true;
  }
  bool has_gram(const RowMatrix&) const override { return has_; }
  std::optional<GramMatrix> gram(const RowMatrix& A, double, std::span<const double>,
                                 bool) override {
    if (!has_) return std::nullopt;
    GramMatrix out{std::vector<double>(to_size(A.cols() * A.cols()), 0.0), 7.0};
    for (Index j = 0; j < A.cols(); ++j)
      out.H[to_size(j * A.cols() + j)] = static_cast<double>(1 + j);
    return out;
  }

 private:
  bool has_;
};

TEST(Facts, TakeNormsAndTheSpectrumFromACopyOfTheRowsThatHasThem) {
  const Problem problem = dense_problem(normal(50, 3, 41), normal(50, 1, 42));
  ThreadTeam team(1);
  FixedSums copy(true);
  const MatrixFacts facts = gather_facts(problem, team, &copy);
  EXPECT_EQ(facts.norms2.front(), 4.0);
  EXPECT_EQ(facts.column_norms, std::vector<double>(3, 3.0));
  const Extremes found = extremes(problem, facts, team, 1);
  EXPECT_TRUE(found.exact);
  EXPECT_DOUBLE_EQ(found.lambda_min, 1.0);
  EXPECT_DOUBLE_EQ(found.lambda_max, 3.0);
}

TEST(Facts, AreThoseOfTheHostWhereACopyHasNotThisMatrix) {
  const Problem problem = dense_problem(normal(50, 3, 41), normal(50, 1, 42));
  ThreadTeam team(1);
  FixedSums copy(false);
  const MatrixFacts expected = gather_facts(problem, team),
                    facts = gather_facts(problem, team, &copy);
  EXPECT_EQ(facts.norms2, expected.norms2);
  EXPECT_EQ(facts.column_norms, expected.column_norms);
  EXPECT_EQ(problem_gram(problem, facts, team).H, problem_gram(problem, expected, team).H);
}

TEST(Facts, AgreeWithEigen) {
  for (const Index n : {1, 2, 3, 5, 60, 3000}) {
    for (const Index d : {1, 2, 3, 5, 40}) {
      Matrix A = sparse_normal(n, d, 41);
      A.col(d / 2).setZero();
      Matrix b = normal(n, 2, 42);
      b.row(n / 2).setZero();
      Vector w = normal(n, 1, 43).cwiseAbs();
      w(n / 3) = 0.0;
      expect_facts(facts_of(dense_problem(A, b)), A, b, Vector::Ones(n));
      expect_facts(facts_of(sparse_problem(A, b)), A, b, Vector::Ones(n));
      expect_facts(facts_of(dense_problem(A, b, w)), A, b, w);
      expect_facts(facts_of(sparse_problem(A, b, w)), A, b, w);
    }
  }
}

TEST(Facts, OfEmptyProblemsAreDefined) {
  for (const Index n : {0, 1, 3}) {
    for (const Index d : {0, 1, 3}) {
      if (n * d > 0) continue;
      const auto facts = facts_of(dense_problem(Matrix(n, d), Matrix::Ones(n, 1)));
      EXPECT_EQ(facts.frobenius2, 0.0);
      EXPECT_EQ(facts.zero_rows, n);
      EXPECT_EQ(facts.zero_rows_with_rhs, n);
      EXPECT_EQ(std::ssize(facts.zero_columns), d);
      EXPECT_EQ(facts.scale.a, 1.0);
    }
  }
}

TEST(Facts, OfAZeroMatrixAreZero) {
  const auto facts = facts_of(dense_problem(Matrix::Zero(4, 3), Matrix::Zero(4, 1)));
  EXPECT_EQ(facts.frobenius2, 0.0);
  EXPECT_EQ(facts.scale.a, 1.0);
  EXPECT_EQ(facts.scale.b, 1.0);
  EXPECT_EQ(facts.zero_rows, 4);
  EXPECT_EQ(facts.zero_rows_with_rhs, 0);
  EXPECT_EQ(facts.zero_columns, (std::vector<Index>{0, 1, 2}));
}

TEST(Facts, HaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix A = sparse_normal(5000, 30, 44), b = normal(5000, 2, 45);
  const Vector w = normal(5000, 1, 46).cwiseAbs();
  const auto one = facts_of(dense_problem(A, b, w), 1);
  for (const int threads : {2, 3, 7}) {
    const auto facts = facts_of(dense_problem(A, b, w), threads);
    EXPECT_TRUE(same_bits(facts.norms2, one.norms2));
    EXPECT_TRUE(same_bits(facts.b_norms, one.b_norms));
    EXPECT_EQ(facts.frobenius2, one.frobenius2);
  }
}

TEST(Facts, HaveTheSameBitsWithZeroRowsAmongTheRows) {
  const Matrix A = normal(2000, 7, 47);
  Matrix longer = Matrix::Zero(3 * A.rows(), A.cols());
  for (Index i = 0; i < A.rows(); ++i) longer.row(3 * i + i % 3) = A.row(i);
  EXPECT_EQ(facts_of(dense_problem(longer)).frobenius2, facts_of(dense_problem(A)).frobenius2);
  EXPECT_EQ(facts_of(sparse_problem(longer, Matrix::Zero(6000, 1))).frobenius2,
            facts_of(sparse_problem(A, Matrix::Zero(2000, 1))).frobenius2);
}

std::string place_of_the_error(const Problem& problem) {
  try {
    facts_of(problem);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    return e.parts().where;
  }
  return "none";
}

TEST(Facts, NameTheFirstValueOfAThatIsNotFinite) {
  for (const double bad : {nan, inf, -inf}) {
    for (const double size : {1.0, 1e200, 1e-200}) {
      Matrix A = size * normal(3000, 5, 48);
      A(2999, 0) = bad;
      A(1234, 3) = bad;
      const Matrix b = Matrix::Zero(3000, 1);
      EXPECT_EQ(place_of_the_error(dense_problem(A, b)), "A, row 1235, column 4 (counted from 1)");
      EXPECT_EQ(place_of_the_error(sparse_problem(A, b)), "A, row 1235, column 4 (counted from 1)");
    }
  }
}

TEST(Facts, NameTheFirstValueOfBThatIsNotFinite) {
  for (const double bad : {nan, inf, -inf}) {
    Matrix b = normal(10, 2, 49);
    b(7, 1) = bad;
    EXPECT_EQ(place_of_the_error(dense_problem(normal(10, 3, 50), b)), "b, row 8 (counted from 1)");
  }
}

TEST(Facts, TakeLargeFiniteValuesForWhatTheyAre) {
  for (const double size : {1e200, std::numeric_limits<double>::max()}) {
    const Matrix A = Matrix::Constant(4, 3, size);
    EXPECT_EQ(place_of_the_error(dense_problem(A, Matrix::Constant(4, 1, size))), "none");
  }
}

// Powers of two commute with rounding: the same bits, but for the exponent.
TEST(Facts, OfAMatrixTimesAPowerOfTwoAreTheSameUpToTheScale) {
  const Matrix A = normal(50, 8, 51), b = normal(50, 2, 52);
  const auto plain = facts_of(dense_problem(A, b));
  ASSERT_EQ(plain.scale.a, 1.0);
  for (int k = -900; k <= 900; k += 100) {
    const int m = 450 - k / 2;
    const auto facts = facts_of(dense_problem(std::ldexp(1.0, k) * A, std::ldexp(1.0, m) * b));
    const int a = k + std::ilogb(facts.scale.a), c = m + std::ilogb(facts.scale.b);
    EXPECT_EQ(std::ldexp(1.0, std::ilogb(facts.scale.a)), facts.scale.a) << k;
    EXPECT_LE(std::abs(a), 202) << k;  // tame after scaling
    EXPECT_LE(std::abs(c), 202) << m;
    EXPECT_EQ(facts.frobenius2, std::ldexp(plain.frobenius2, 2 * a)) << k;
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_EQ(facts.norms2[i], std::ldexp(plain.norms2[i], 2 * a)) << k;
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(facts.b_norms[i], std::ldexp(plain.b_norms[i], c)) << m;
  }
}

TEST(Facts, OfDenormalDataAreNotZero) {
  const double denormal = std::numeric_limits<double>::denorm_min();
  const auto facts =
      facts_of(dense_problem(Matrix::Constant(3, 2, denormal), Matrix::Constant(3, 1, denormal)));
  EXPECT_GT(facts.frobenius2, 0.0);
  EXPECT_GT(facts.b_norms[0], 0.0);
  EXPECT_EQ(facts.zero_rows, 0);
  EXPECT_TRUE(facts.zero_columns.empty());
}

TEST(Facts, KeepEveryRowAndColumnThatSpansTheRangeOfNumbers) {
  Matrix A = Matrix::Zero(31, 31);  // one entry in each row and column
  for (Index i = 0; i < 31; ++i)
    A(i, (7 * i) % 31) = std::pow(10.0, static_cast<double>(10 * i - 150));
  for (const auto& problem :
       {dense_problem(A, Matrix::Zero(31, 1)), sparse_problem(A, Matrix::Zero(31, 1))}) {
    const auto facts = facts_of(problem);
    EXPECT_EQ(facts.zero_rows, 0);
    EXPECT_TRUE(facts.zero_columns.empty());
    for (std::size_t i = 0; i < 31; ++i) {
      EXPECT_GT(facts.norms2[i], 0.0) << i;
      const double a = facts.scale.a * A.row(static_cast<Index>(i)).maxCoeff();
      if (a > 1e-150) {
        EXPECT_NEAR(facts.norms2[i] / (a * a), 1.0, 4 * eps) << i;
      }
    }
    EXPECT_NEAR(facts.frobenius2 / facts.norms2.back(), 1.0, 1e-15);
  }
}

TEST(Facts, KeepRowsWhoseWeightIsTiny) {
  const Matrix A = Matrix::Constant(2, 1, 1e-50);
  const auto facts = facts_of(dense_problem(A, Matrix::Zero(2, 1), Vector{{1e-300, 1.0}}));
  EXPECT_GT(facts.norms2[0], 0.0);
  EXPECT_EQ(facts.zero_rows, 0);
}

TEST(Facts, RefuseWeightsWhoseSumOverflows) {
  const Matrix A = Matrix::Constant(2, 1, 1e50), b = Matrix::Constant(2, 1, 1e50);
  EXPECT_EQ(place_of_the_error(dense_problem(A, b, Vector{{1e300, 1.0}})), "weights");
  EXPECT_EQ(place_of_the_error(dense_problem(A / 1e50, b, Vector{{1e300, 1.0}})), "weights");
}

TEST(Facts, TellHowOftenTheyReadA) {
  EXPECT_EQ(facts_of(dense_problem(Matrix::Ones(10, 2))).rows_read, 10.0);
  EXPECT_EQ(facts_of(dense_problem(1e200 * Matrix::Ones(10, 2))).rows_read, 30.0);
}

}  // namespace
}  // namespace polyak::test
