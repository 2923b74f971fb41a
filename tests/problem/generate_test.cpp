#include "polyak/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dense_rows.hpp"
#include "polyak/error.hpp"

// What all generators promise.

namespace polyak::test {
namespace {

using Generator = std::function<GeneratedProblem(const GenerateOptions&)>;

struct Kind {
  const char* name;
  Generator make;
};

std::vector<Kind> kinds() {
  return {
      {"spectrum",
       [](const auto& o) { return generate(SpectrumProblem{.rows = 9000, .cols = 7}, o); }},
      {"sampling",
       [](const auto& o) { return generate(SamplingProblem{.rows = 9000, .cols = 30}, o); }},
      {"dense sampling",
       [](const auto& o) {
         return generate(SamplingProblem{.rows = 9000, .cols = 30, .dense = true}, o);
       }},
      {"stacked", [](const auto& o) { return generate(StackedProblem{}, o); }},
      {"gaussian",
       [](const auto& o) { return generate(GaussianProblem{.rows = 9000, .cols = 7}, o); }},
  };
}

TEST(Generate, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const auto& kind : kinds()) {
    const auto one = kind.make({.seed = 5, .noise = 0.5, .threads = 1});
    for (int threads : {2, 7}) {
      const auto other = kind.make({.seed = 5, .noise = 0.5, .threads = threads});
      EXPECT_EQ(rows_of(*other.A), rows_of(*one.A)) << kind.name;
      EXPECT_EQ(vector(other.b), vector(one.b)) << kind.name;
      EXPECT_EQ(vector(other.x_least_squares), vector(one.x_least_squares)) << kind.name;
      EXPECT_EQ(other.residual_norm, one.residual_norm) << kind.name;
    }
  }
}

TEST(Generate, AnotherSeedGivesAnotherProblem) {
  for (const auto& kind : kinds()) {
    const auto one = kind.make({.seed = 5, .noise = 0.5}),
               two = kind.make({.seed = 6, .noise = 0.5});
    EXPECT_NE(vector(one.b), vector(two.b)) << kind.name;
    if (std::string(kind.name) == "stacked") continue;  // only its noise is random
    EXPECT_NE(rows_of(*one.A), rows_of(*two.A)) << kind.name;
    EXPECT_NE(vector(one.x_planted), vector(two.x_planted)) << kind.name;
  }
}

TEST(Generate, WithoutNoiseThePlantedSolutionSolvesTheProblem) {
  for (const auto& kind : kinds()) {
    const auto p = kind.make({.seed = 1});
    const Matrix A = rows_of(*p.A);
    const Vector x = vector(p.x_planted);
    EXPECT_LT((A * x - vector(p.b)).norm(), rounding(A.cols(), A.norm() * x.norm()) + 1e-300);
    EXPECT_EQ(vector(p.x_least_squares), x);
    EXPECT_EQ(p.residual_norm, 0.0);
  }
}

TEST(Generate, WithNoiseTheLeastSquaresSolutionIsOrthogonalToItsResidual) {
  for (const auto& kind : kinds()) {
    const auto p = kind.make({.seed = 1, .noise = 3.0});
    const Matrix A = rows_of(*p.A);
    const Vector r = A * vector(p.x_least_squares) - vector(p.b);
    const double size = A.norm() * vector(p.x_planted).norm() + r.norm();
    EXPECT_LT((A.transpose() * r).norm(), rounding(A.rows(), A.norm() * size)) << kind.name;
    EXPECT_NEAR(p.residual_norm, r.norm(), rounding(A.rows(), size)) << kind.name;
    EXPECT_LE(p.residual_norm, 3.0 * (1.0 + rounding(A.rows(), 1.0))) << kind.name;
  }
}

TEST(Generate, NoiseLiesOnTheSphere) {
  // x = 0 here, so b is the noise itself.
  for (double radius : {1e-5, 1.0, 1e150}) {
    const auto p = generate(StackedProblem{}, {.seed = 3, .noise = radius});
    EXPECT_NEAR(vector(p.b).norm() / radius, 1.0, 200 * eps);
  }
}

TEST(Generate, NoiseHasNoPreferredDirection) {
  double sum = 0.0;
  constexpr int trials = 1000;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    sum += generate(StackedProblem{.copies = 2}, {.seed = seed, .noise = 2.0, .threads = 1}).b(0);
  }
  // One coordinate of a point on the sphere of radius 2 in R^4 has variance 1.
  EXPECT_LT(std::abs(sum), five_sigma * std::sqrt(trials));
}

void expect_refused(const std::string& field, const std::function<void()>& call) {
  try {
    call();
    FAIL() << field << " was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage) << e.what();
    EXPECT_EQ(e.parts().where, field) << e.what();
  }
}

TEST(Generate, RefusesArgumentsOutOfRangeByName) {
  using Spectrum = SpectrumProblem;
  const double nan = std::nan(""), inf = HUGE_VAL;
  expect_refused("cols", [] { generate(Spectrum{.rows = 5, .cols = 0}); });
  expect_refused("rows", [] { generate(Spectrum{.rows = 5, .cols = 6}); });
  for (double bad : {0.5, nan, inf}) {
    expect_refused("kappa", [bad] { generate(Spectrum{.rows = 5, .cols = 2, .kappa = bad}); });
  }
  for (double bad : {0.0, -1.0, nan, inf}) {
    expect_refused("rho", [bad] { generate(Spectrum{.rows = 5, .cols = 2, .rho = bad}); });
  }
  expect_refused("rho", [] { generate(Spectrum{.rows = 5, .cols = 4, .rho = 1e300}); });
  expect_refused("squared_singular_values",
                 [] { generate(Spectrum{.rows = 5, .cols = 2, .decay = Decay::given}); });
  expect_refused("squared_singular_values", [] {
    generate(
        Spectrum{.rows = 5, .cols = 1, .decay = Decay::given, .squared_singular_values = {-1.0}});
  });
  for (double bad : {-1.0, nan, inf}) {
    expect_refused("noise", [bad] { generate(GaussianProblem{}, {.noise = bad}); });
  }
  expect_refused("threads", [] { generate(GaussianProblem{}, {.threads = -1}); });
  expect_refused("rows", [] { generate(GaussianProblem{.rows = 0, .cols = 1}); });
  expect_refused("cols", [] { generate(GaussianProblem{.rows = 1, .cols = 0}); });
  expect_refused("rows", [] { generate(SamplingProblem{.rows = 0, .cols = 1}); });
  expect_refused("cols", [] { generate(SamplingProblem{.rows = 1, .cols = Index{1} << 31}); });
  expect_refused("copies", [] { generate(StackedProblem{.copies = 0}); });
  expect_refused("rows", [] { generate(GaussianProblem{.rows = Index{1} << 62, .cols = 9}); });
}

}  // namespace
}  // namespace polyak::test
