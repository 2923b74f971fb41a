// The ends of the spectrum from a sketch, and when they come from one.

#include "sketched.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(SketchExtremes, LeaveKappaOpenByLessThanAFactorOfFourWhereTheSketchIsLarge) {
  for (const Vector& squared : {Vector(Vector::LinSpaced(200, 1.0, 1e4)), Vector(Vector::Ones(200)),
                                Vector(Vector::LinSpaced(200, 0.0, 14.0).array().exp())}) {
    const Matrix A = with_spectrum(3000, squared, 200, 9);
    const Extremes got = sketched(dense_problem(A), 3);
    const Range low = *got.lambda_min_range, top = *got.lambda_max_range;
    EXPECT_LT(top.high / low.low * low.high / top.low, 4.0);
    expect_inside(got, {squared.minCoeff(), squared.maxCoeff()});
  }
}

// A standard deviation of √(2/s) to the low side, and three more for scatter.
TEST(SketchExtremes, EstimateASeparateLambdaMinOnItsLowSide) {
  const Matrix A = with_spectrum(4000, flat_but(0.01), d, 11);
  const Problem problem = dense_problem(A);
  int too_large = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const double ratio = sketched(problem, seed).lambda_min / 0.01;
    EXPECT_GT(ratio, 1.0 - 4.5 * std::sqrt(2.0 / 4096.0));
    EXPECT_LT(ratio, 1.0 + 3.5 * std::sqrt(2.0 / 4096.0));
    too_large += ratio > 1.0;
  }
  EXPECT_LT(too_large, 20);  // one in six would be 8; more than 19 of 50 has probability 1e-4
}

TEST(SketchExtremes, HeedWeightsStoragesAndNoRightHandSide) {
  const Matrix A = with_spectrum(900, algebraic(1e3, 1.0), d, 13);
  const Vector w = normal(900, 1, 14).cwiseAbs();
  expect_inside(sketched(dense_problem(A, Matrix::Zero(900, 1), w), 5), ends_of(weighted(A, w), d));
  const Extremes one = sketched(dense_problem(A), 5);
  for (const auto& [name, storage] : storages(A)) {
    ProblemData data;
    data.A = storage;
    data.b = array(normal(900, 3, 15));
    const Extremes got = sketched(Problem(std::move(data)), 5);
    const bool rounded = name.find("float") != std::string::npos;
    EXPECT_NEAR(got.lambda_min / one.lambda_min, 1.0, rounded ? 1e-4 : 1e-12) << name;
    EXPECT_NEAR(got.lambda_max / one.lambda_max, 1.0, rounded ? 1e-4 : 1e-12) << name;
  }
}

TEST(SketchExtremes, TakeTheSmallestEigenvalueThatIsNotZeroWhenColumnsDepend) {
  const Vector squared = Vector::LinSpaced(15, 1.0, 50.0);
  const Matrix A = with_spectrum(500, squared, d, 16);
  const Extremes got = sketched(dense_problem(A), 6);
  EXPECT_EQ(got.rank, 15);
  expect_inside(got, {1.0, 50.0});
  for (Index j = d - 15; j < d; ++j) EXPECT_GE(got.values[to_size(j)], got.lambda_min);
  const Matrix wide = normal(10, d, 17);
  const Extremes few = sketched(dense_problem(wide), 6);
  EXPECT_EQ(few.rank, 10);
  expect_inside(few, ends_of(wide, 10));
}

TEST(SketchExtremes, ScaleWithThePowersOfTwoInTheFacts) {
  const Matrix A = normal(200, 6, 18);
  const Extremes plain = sketched(dense_problem(A), 7);
  for (const int k : {-900, 900}) {
    const Problem problem = dense_problem(std::ldexp(1.0, k) * A);
    ThreadTeam team(1);
    const MatrixFacts facts = gather_facts(problem, team);
    const int a = 2 * (k + std::ilogb(facts.scale.a));
    const Extremes got = sketch_extremes(problem, facts, team, 7);
    EXPECT_NEAR(std::ldexp(got.lambda_max, -a) / plain.lambda_max, 1.0, 1e-12);
    EXPECT_NEAR(std::ldexp(got.lambda_min, -a) / plain.lambda_min, 1.0, 1e-12);
  }
}

TEST(SketchExtremes, OfZeroAndEmptyMatricesAreZero) {
  for (const auto& [n, cols] : {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}, {4, 2}}) {
    const Extremes got = sketched(dense_problem(Matrix::Zero(n, cols)), 1);
    EXPECT_EQ(got.lambda_max, 0.0);
    EXPECT_EQ(got.lambda_min, 0.0);
    EXPECT_EQ(got.rank, 0);
  }
}

TEST(SketchExtremes, OfOneColumnOrOneRowAreExact) {
  const Matrix column = normal(300, 1, 19), row = normal(1, 5, 20);
  expect_inside(sketched(dense_problem(column), 2), ends_of(column, 1));
  const Extremes got = sketched(dense_problem(row), 2);
  EXPECT_EQ(got.rank, 1);
  expect_inside(got, ends_of(row, 1));
}

TEST(SketchExtremes, HaveTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = dense_problem(normal(3000, 60, 21));
  const Extremes one = sketched(problem, 8);
  for (const int threads : {2, 7}) {
    const Extremes got = sketched(problem, 8, 0, threads);
    EXPECT_TRUE(same_bits(got.values, one.values));
    EXPECT_EQ(got.lambda_min, one.lambda_min);
    EXPECT_EQ(got.lambda_max, one.lambda_max);
    EXPECT_EQ(got.lambda_min_range->high, one.lambda_min_range->high);
    EXPECT_EQ(got.lambda_max_range->low, one.lambda_max_range->low);
  }
  EXPECT_NE(sketched(problem, 9).lambda_min, one.lambda_min);
}

TEST(TheSpectrum, IsExactWhereThatIsCheapASketchForManyRowsAndLanczosForManyColumns) {
  const auto by_shape = [](Index rows, Index cols) {
    const auto n = static_cast<double>(rows), d = static_cast<double>(cols);
    return cheapest_spectrum({n, d, 0.0, n * d, n * d * d});
  };
  EXPECT_EQ(by_shape(1'000'000, 256), SpectrumBy::exact);
  EXPECT_EQ(by_shape(1'000'000, 300), SpectrumBy::exact);
  EXPECT_EQ(by_shape(5'000, 1000), SpectrumBy::exact);
  EXPECT_EQ(by_shape(200'000, 1000), SpectrumBy::sketch);
  EXPECT_EQ(by_shape(200'000, 2000), SpectrumBy::sketch);
  EXPECT_EQ(by_shape(10'000'000, 3000), SpectrumBy::exact);                     // 550 MiB of sketch
  EXPECT_EQ(cheapest_spectrum({2e5, 2000, 0.0, 1e6, 5e6}), SpectrumBy::exact);  // AᵀA by entries
  EXPECT_EQ(by_shape(10, 3001), SpectrumBy::lanczos);
}

// Three entries in each of many rows, larger ones to the right. With `twins` two
// columns are equal.
Problem three_entries(Index rows, Index cols, bool twins) {
  const Random random(23, 0);
  std::vector<float> values(to_size(rows * cols), 0.0f);
  for (Index i = 0; i < rows; ++i) {
    const auto add = [&](Index j, double v) {
      values[to_size(i * cols + j)] += static_cast<float>(v);
    };
    for (Index k = 0; k < 3; ++k) {
      const double u = random.uniform(to_size(i), to_size(2 * k));
      const double sign = random.uniform(to_size(i), to_size(2 * k + 1)) - 0.4;
      const auto j = static_cast<Index>(u * static_cast<double>(cols));
      if (twins && j == 5) continue;
      add(j, (1.0 + 4.0 * u) * sign);
      if (twins && j == 3) add(5, (1.0 + 4.0 * u) * sign);
    }
  }
  ProblemData data;
  data.A = dense_matrix(std::move(values), rows, cols);
  data.b = Array(std::vector<double>(to_size(rows), 0.0), rows);
  return Problem(std::move(data));
}

TEST(TheSpectrum, GoesOnFromASketchWithWideBarsToTheExactOne) {
  const Index n = 46'000, cols = 1000;
  ThreadTeam team(2);
  const Problem problem = three_entries(n, cols, false);
  ASSERT_EQ(cheapest_spectrum(gram_size(problem.A())), SpectrumBy::sketch);
  const MatrixFacts facts = gather_facts(problem, team);
  const Extremes taken = extremes(problem, facts, team, 1);
  const Extremes exact = extremes(problem, facts, team, 1, SpectrumBy::exact);
  EXPECT_EQ(taken.sketch_rows, 8 * cols);
  EXPECT_EQ(taken.source, "sketch of 8000 rows, probability 0.999");
  expect_inside(taken, {exact.lambda_min, exact.lambda_max});

  // Dependent columns leave no bound on lambda_min from above that is close.
  const Problem deficient = three_entries(n, cols, true);
  const Extremes refined = extremes(deficient, gather_facts(deficient, team), team, 1);
  EXPECT_TRUE(refined.exact);
  EXPECT_EQ(refined.rank, cols - 1);
  EXPECT_EQ(refined.rows_read, 3.0 * static_cast<double>(n));
}

TEST(TheSpectrum, ComesFromWhereItIsAskedFor) {
  const Problem problem = dense_problem(normal(300, 50, 24));
  ThreadTeam team(1);
  const MatrixFacts facts = gather_facts(problem, team);
  const auto by = [&](SpectrumBy how) { return extremes(problem, facts, team, 1, how); };
  const Extremes exact = by(SpectrumBy::exact), lanczos = by(SpectrumBy::lanczos);
  EXPECT_EQ(exact.source, "exact");
  EXPECT_FALSE(exact.lambda_min_range || exact.lambda_max_range);
  EXPECT_EQ(by(SpectrumBy::sketch).source, "sketch of 4096 rows, probability 0.999");
  EXPECT_EQ(lanczos.source, "lanczos estimate");
  EXPECT_FALSE(lanczos.lambda_min_range);
  EXPECT_TRUE(holds(*lanczos.lambda_max_range, exact.lambda_max));
  EXPECT_FALSE(lanczos.knows_rank());
}

}  // namespace
}  // namespace polyak::test
