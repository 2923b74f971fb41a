// The mean square error of Minibatch-HBM on a 6 × 3 problem, against reference
// trajectories that were computed from second moments elsewhere.

#include <array>
#include <cmath>
#include <map>

#include "solve/run/setup.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

struct Case {
  std::string gamma_key, sampling;
  double gamma;
};

class GoldenMoments : public testing::TestWithParam<Case> {
 protected:
  SolveOptions options(Index batch) const {
    SolveOptions o = with_method("minibatch-hbm");
    o.batch_size = batch;
    o.parameters = "paper";
    o.gamma = GetParam().gamma;
    o.sampling = GetParam().sampling;
    return o;
  }
  const nlohmann::json& gamma_block() const { return tiny_.numbers[GetParam().gamma_key]; }
  const nlohmann::json& reference() const {
    return gamma_block()[GetParam().sampling == "uniform" ? "uniform" : "row"];
  }

  // Squared error after 0 .. steps iterations of one stream.
  static std::vector<double> trajectory(SolveSetup& setup, std::uint64_t stream, Index steps,
                                        const Eigen::VectorXd& x_star) {
    auto method = setup.start(stream);
    std::vector<double> out;
    for (Index k = 0; k <= steps; ++k) {
      if (k > 0) method->advance(k - 1, k);
      out.push_back(
          (Eigen::Map<const Eigen::VectorXd>(setup.backend().host_copy(method->x()).data(), 3) -
           x_star)
              .squaredNorm());
    }
    return out;
  }

  // Means over many streams lie within four standard errors, for k <= 4. The
  // seed is fixed; a right implementation fails a fresh seed at one k with
  // probability 6e-5.
  void expect_means(Index batch, const Eigen::VectorXd& b, const Eigen::VectorXd& x_star,
                    const nlohmann::json& expected) const {
    constexpr int runs = 40000;
    const Problem problem(data(tiny_.A, b));
    SolveSetup setup(problem, options(batch));
    std::array<double, 5> sum{}, sum2{};
    for (int r = 0; r < runs; ++r) {
      const auto errors = trajectory(setup, static_cast<std::uint64_t>(r), 4, x_star);
      for (std::size_t k = 0; k <= 4; ++k) {
        sum[k] += errors[k];
        sum2[k] += errors[k] * errors[k];
      }
    }
    for (std::size_t k = 0; k <= 4; ++k) {
      const double mean = sum[k] / runs;
      const double standard_error = std::sqrt((sum2[k] / runs - mean * mean) / runs);
      const double rounding = 1e-12 * mean;
      EXPECT_NEAR(mean, expected[k].get<double>(), 4 * standard_error + rounding)
          << "batch " << batch << ", k = " << k;
    }
  }

  Tiny tiny_;
};

TEST_P(GoldenMoments, parameters_agree) {
  const Problem problem(data(tiny_.A, tiny_.b_consistent));
  SolveSetup setup(problem, options(4));
  EXPECT_NEAR(*setup.plan().used.step_size / gamma_block()["alpha"].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(*setup.plan().used.momentum / gamma_block()["beta"].get<double>(), 1.0, 1e-12);
  const double eta =
      GetParam().sampling == "uniform" ? tiny_.numbers["eta_uniform"].get<double>() : 1.0;
  EXPECT_NEAR(*setup.plan().used.eta, eta, 1e-12);
}

// All 6^4 sample paths of batch 1: for each a stream that draws it is looked
// up, the real method runs on it, and squared errors are weighted by the exact
// probabilities.
TEST_P(GoldenMoments, batch_one_agrees_over_all_paths_of_four_steps) {
  const Problem problem(data(tiny_.A, tiny_.b_consistent));
  const SolveOptions asked = options(1);
  SolveSetup setup(problem, asked);
  const Sampler& sampler = *setup.plan().sampler;
  std::map<std::array<Index, 4>, std::uint64_t> stream_of;
  for (std::uint64_t s = 0; stream_of.size() < 1296; ++s) {
    ASSERT_LT(s, 5'000'000u);
    std::array<Index, 4> path;
    for (std::uint64_t k = 0; k < 4; ++k)
      path[k] = sampler.find(Random(asked.seed, stream::sampling + s).bits(k, 0));
    stream_of.emplace(path, s);
  }
  std::array<double, 5> mean{};
  for (const auto& [path, s] : stream_of) {
    double probability = 1.0;
    for (Index row : path) probability *= sampler.probability(row);
    const auto errors = trajectory(setup, s, 4, tiny_.x_planted);
    for (std::size_t k = 0; k <= 4; ++k) mean[k] += probability * errors[k];
  }
  for (std::size_t k = 0; k <= 4; ++k) {
    const double expected = reference()["ms_traj"]["1"][k];
    EXPECT_NEAR(mean[k] / expected, 1.0, 1e-12) << "k = " << k;
  }
}

TEST_P(GoldenMoments, batches_agree_in_the_mean_on_consistent_data) {
  for (Index batch : {4, 64}) {
    expect_means(batch, tiny_.b_consistent, tiny_.x_planted,
                 reference()["ms_traj"][std::to_string(batch)]);
  }
}

TEST_P(GoldenMoments, batches_agree_in_the_mean_on_inconsistent_data) {
  expect_means(4, tiny_.b_inconsistent, tiny_.x_ls, reference()["ms_traj_inconsistent_B4"]);
}

INSTANTIATE_TEST_SUITE_P(tiny_problem, GoldenMoments,
                         testing::Values(Case{"gamma_lmin_over_1000", "row-norm", 1e-3},
                                         Case{"gamma_lmin_over_1000", "uniform", 1e-3},
                                         Case{"gamma_lmin_over_10", "row-norm", 0.1},
                                         Case{"gamma_lmin_over_10", "uniform", 0.1}),
                         [](const auto& test) {
                           return std::string(test.param.gamma > 0.01 ? "wide" : "narrow") +
                                  (test.param.sampling == "uniform" ? "_uniform" : "_row_norm");
                         });

}  // namespace
}  // namespace polyak::test
