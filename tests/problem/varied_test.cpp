// Varied problems are what they are said to be, and a function of the seed alone.

#include "problem/varied.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/thread_team.hpp"
#include "dense_rows.hpp"
#include "polyak/generate.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// The smallest problem of a kind among the first seeds, where the noise is as wanted.
std::uint64_t small_seed(const std::string& kind, bool noisy = true) {
  std::uint64_t best = 0;
  double least = 1e300;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const VariedProblem p = varied_problem(seed);
    const double size = static_cast<double>(p.rows) * static_cast<double>(p.cols);
    if (p.kind != kind || (p.relative_noise > 0.0) != noisy || size >= least) continue;
    least = size;
    best = seed;
  }
  EXPECT_LE(least, 1e6) << kind;
  return best;
}

Matrix rows_of_kind(const std::string& kind) {
  ThreadTeam team(1);
  return rows_of(*varied::system_of(small_seed(kind), team).A);
}

TEST(VariedProblem, HasEveryKindAndNoiseAmongEvenAndAmongOddSeeds) {
  for (const std::uint64_t parity : {0u, 1u}) {
    std::set<std::string> kinds;
    std::set<std::pair<std::string, double>> with_noise;
    for (std::uint64_t seed = parity; seed < 96; seed += 2) {
      const VariedProblem p = varied_problem(seed);
      if (seed < 24) kinds.insert(p.kind);
      with_noise.insert({p.kind, p.relative_noise});
    }
    EXPECT_EQ(kinds.size(), varied_kinds().size());
    EXPECT_EQ(with_noise.size(), 4 * varied_kinds().size());
  }
}

TEST(VariedProblem, IsOfBoundedSize) {
  std::map<std::string, std::set<Index>> cols;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const VariedProblem p = varied_problem(seed);
    const auto n = static_cast<double>(p.rows), d = static_cast<double>(p.cols);
    EXPECT_GE(p.rows, p.cols) << p.text;
    EXPECT_LE(p.rows, 500'000) << p.text;
    const bool by_entries =
        std::set<std::string>{"sparse", "binary", "one-hot", "banded"}.contains(p.kind);
    EXPECT_TRUE(by_entries || (n * d <= 4e7 + d && n * d * d <= 4e10 + d * d)) << p.text;
    EXPECT_LE(p.cols, by_entries ? 20'000 : 1200) << p.text;
    EXPECT_TRUE(p.kind != "near-square" || p.rows <= 2 * p.cols) << p.text;
    EXPECT_NE(p.text.find(p.kind), std::string::npos);
    cols[p.kind].insert(p.cols);
  }
  for (const auto& [kind, sizes] : cols) EXPECT_GE(sizes.size(), 10u) << kind;
}

TEST(VariedProblem, HasTheSameBitsForAnyTeamAndOthersForAnotherSeed) {
  ThreadTeam one(1), three(3);
  for (const std::string& kind : varied_kinds()) {
    const std::uint64_t seed = small_seed(kind);
    const GeneratedProblem a = varied::system_of(seed, one), b = varied::system_of(seed, three);
    EXPECT_EQ(rows_of(*a.A), rows_of(*b.A)) << kind;
    EXPECT_EQ(vector(a.b), vector(b.b)) << kind;
    EXPECT_EQ(vector(a.x_planted), vector(b.x_planted)) << kind;
    EXPECT_NE(varied_problem(seed).text, varied_problem(seed + 24).text) << kind;
  }
}

TEST(VariedProblem, IsOfTheShapeAndNoiseItIsSaidToHave) {
  for (const std::string& kind : varied_kinds())
    for (const bool noisy : {false, true}) {
      const std::uint64_t seed = small_seed(kind, noisy);
      const VariedProblem said = varied_problem(seed);
      ThreadTeam team(1);
      const GeneratedProblem p = varied::system_of(seed, team);
      EXPECT_EQ(p.A->rows(), said.rows);
      EXPECT_EQ(p.A->cols(), said.cols);
      const Vector Ax = rows_of(*p.A) * vector(p.x_planted);
      const double found = (vector(p.b) - Ax).norm() / Ax.norm();
      EXPECT_NEAR(found, said.relative_noise, 1e-12) << said.text;
      const bool sparse = p.A->kind().starts_with("csr");
      const bool wanted =
          std::set<std::string>{"sparse", "binary", "one-hot", "banded"}.contains(kind);
      EXPECT_TRUE(kind == "counts" || sparse == wanted) << said.text;
    }
}

TEST(VariedProblem, BinaryAndOneHotHoldOnes) {
  for (const char* kind : {"binary", "one-hot"}) {
    const Matrix A = rows_of_kind(kind);
    EXPECT_TRUE(((A.array() == 0.0) || (A.array() == 1.0)).all()) << kind;
  }
  EXPECT_LE(rows_of_kind("one-hot").rowwise().sum().maxCoeff(), 8.0);
}

// A level that never occurs is a column of zeros; one that is rare has a few ones.
TEST(VariedProblem, OneHotHasALevelThatIsRareOrNeverOccurs) {
  ThreadTeam team(2);
  Index empty = 0, rare = 0, dependent = 0;
  for (std::uint64_t seed = 6; seed < 1000; seed += 24) {
    const VariedProblem said = varied_problem(seed);
    if (said.rows * said.cols > 2'000'000) continue;
    const Vector often = rows_of(*varied::system_of(seed, team).A).colwise().sum();
    if (said.text.find("never") != std::string::npos)
      empty += (often.array() == 0.0).any();
    else
      rare += ((often.array() > 0.0) && (often.array() < 20.0)).any();
    dependent += said.text.find("all their levels") != std::string::npos;
  }
  EXPECT_GT(empty, 0);
  EXPECT_GT(rare, 0);
  EXPECT_GT(dependent, 0);
}

TEST(VariedProblem, CountsAreWholeNumbers) {
  const Matrix A = rows_of_kind("counts");
  EXPECT_TRUE((A.array() == A.array().floor()).all());
  EXPECT_GE(A.minCoeff(), 0.0);
  EXPECT_GT(A.maxCoeff(), 1.0);
}

TEST(VariedProblem, PolynomialHasPowers) {
  const Matrix A = rows_of_kind("polynomial");
  EXPECT_EQ((A.col(0).array() - 1.0).abs().maxCoeff(), 0.0);
  EXPECT_EQ((A.col(2).array() - A.col(1).array().square()).abs().maxCoeff(), 0.0);
}

TEST(VariedProblem, LaggedIsToeplitz) {
  const Matrix A = rows_of_kind("lagged");
  const Index n = A.rows() - 1, d = A.cols() - 1;
  EXPECT_EQ(Matrix(A.topLeftCorner(n, d)), Matrix(A.bottomRightCorner(n, d)));
}

TEST(VariedProblem, BandedHasItsEntriesNearTheDiagonal) {
  ThreadTeam team(1);
  const std::uint64_t seed = small_seed("banded");
  const Matrix A = rows_of(*varied::system_of(seed, team).A);
  Index widest = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    Index first = A.cols(), last = -1;
    for (Index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0.0) first = std::min(first, j), last = j;
    ASSERT_LE(first, last);
    widest = std::max(widest, last - first + 1);
  }
  EXPECT_NE(varied_problem(seed).text.find("band of " + std::to_string(widest)), std::string::npos)
      << varied_problem(seed).text << " is " << widest;
  EXPECT_NE(A(0, 0), 0.0);
  EXPECT_NE(A(A.rows() - 1, A.cols() - 1), 0.0);
}

TEST(VariedProblem, OffsetHasAnInterceptAndAnEpochInMilliseconds) {
  const Matrix A = rows_of_kind("offset");
  EXPECT_EQ((A.col(0).array() - 1.0).abs().maxCoeff(), 0.0);
  EXPECT_GE(A.col(1).minCoeff(), 1.5e12);
  EXPECT_LE(A.col(1).maxCoeff(), 2.5e12);
  EXPECT_TRUE((A.col(1).array() == A.col(1).array().floor()).all());
}

TEST(GenerateVaried, GivesTheLeastSquaresSolution) {
  const std::uint64_t seed = small_seed("lagged");
  const GeneratedProblem p = generate_varied(seed, 1);
  const Matrix A = rows_of(*p.A);
  const Vector x = vector(p.x_least_squares), r = vector(p.b) - A * x;
  const double size = A.norm() * x.norm() + vector(p.b).norm();
  EXPECT_LT((A.transpose() * r).norm(), rounding(A.cols(), A.norm() * size));
  EXPECT_NEAR(p.residual_norm, r.norm(), rounding(A.cols(), size));
  EXPECT_GT(p.residual_norm, 100.0 * rounding(A.cols(), size));
  const GeneratedProblem exact = generate_varied(small_seed("counts", false), 1);
  EXPECT_EQ(vector(exact.x_least_squares), vector(exact.x_planted));
}

}  // namespace
}  // namespace polyak::test
