// Where formulas end: one column, one eigenvalue, no momentum, kappa up to 1e12.
// Infinite where theory says infinite, and never a NaN.

#include "golden.hpp"
#include "kronecker.hpp"
#include "polyak/error.hpp"
#include "support/decompositions.hpp"

namespace polyak::theory {
namespace {

std::vector<double> spread_between(double low, double high, int count) {
  std::vector<double> l;
  for (int i = 0; i < count; ++i)
    l.push_back(count == 1 ? high : low * std::pow(high / low, i / (count - 1.0)));
  return l;
}

std::vector<Model> models_of(const std::vector<double>& l) {
  double F2 = 0.0;
  for (const double v : l) F2 += v;
  return {worst_case_model(l, F2), worst_case_model(l.front(), l.back(), F2),
          gaussian_uniform_model(l), gaussian_row_norm_model(l)};
}

void expect_sane(const Model& model, Method method, const Parameters& p, double batch) {
  const double threshold = stability_threshold(model, method, p);
  const double rate = rate_for_batch(model, method, p, batch);
  const double floor = contraction(method, p, model.eigenvalues.front(), model.eigenvalues.back());
  EXPECT_FALSE(std::isnan(threshold)) << model.name;
  EXPECT_GE(threshold, 0.0) << model.name;
  EXPECT_GE(rate, floor) << model.name;
  const bool stable = floor < 1.0 && batch > threshold;
  const bool undecided = std::abs(batch / threshold - 1.0) < 1e-9;
  EXPECT_TRUE(undecided || stable == (rate < 1.0)) << model.name << " at " << batch;
  EXPECT_TRUE(std::isinf(batch_for_rate(model, method, p, floor))) << model.name;
  EXPECT_TRUE(std::isinf(batch_for_rate(model, method, p, 0.5 * floor))) << model.name;
  if (model.width > 0) {
    const double limit = horizon(model, method, p, batch, 1.0);
    EXPECT_GE(limit, 0.0) << model.name;
    for (const double v : mean_square_trajectory(model, method, p, batch, {{}, 1.0}, 2000))
      ASSERT_GE(v, 0.0) << model.name;
  }
  if (model.name == "worst-case") {
    EXPECT_GE(certified_horizon(model, method, p, batch, 1.0), 0.0);
    EXPECT_GE(certified_mean_square(model, p, batch, 10), 0.0);
  }
}

TEST(Edges, EveryAnswerIsANumber) {
  for (const double kappa : {1.0, 1.0 + 1e-9, 1.9, 7.0, 1e3, 1e12}) {
    for (const int d : {1, 2, 7}) {
      const auto l = spread_between(1.0, kappa, d);
      for (const Model& model : models_of(l)) {
        for (const double batch : {1.0, 50.0, 1e9}) {
          SCOPED_TRACE("kappa " + std::to_string(kappa) + ", d " + std::to_string(d));
          const double low = model.eigenvalues.front(), high = model.eigenvalues.back();
          for (const Parameters& p :
               {recipe(low, high, model.energy, batch), heavy_ball_parameters(low, high, 1e-3),
                heavy_ball_parameters(low, high), Parameters::of(1.0 / high, 0.0)}) {
            expect_sane(model, Method::heavy_ball, p, batch);
          }
          for (const Parameters& p :
               {nesterov_parameters(low, high), Parameters::of(1.0 / high, 0.0)})
            expect_sane(model, Method::nesterov, p, batch);
        }
      }
    }
  }
}

TEST(Edges, WithoutMomentumBothMethodsAreGradientDescent) {
  const auto l = spread_between(1.0, 20.0, 5);
  const Parameters p = Parameters::of(0.04, 0.0);
  for (const Model& model : models_of(l)) {
    for (const double r : {0.97, 1.0})
      expect_relative(batch_for_rate(model, Method::nesterov, p, r),
                      batch_for_rate(model, Method::heavy_ball, p, r), 1e-12, model.name);
  }
}

// 3·l²·∫(1 + 2tl)^−5/2 dt·l = l²: rows of one column drawn by norm have no noise.
TEST(Edges, OneGaussianColumnDrawnByNormHasNoNoise) {
  const Model model = gaussian_row_norm_model({3.0});
  const Parameters p = Parameters::of(0.2, 0.1);
  EXPECT_LT(stability_threshold(model, Method::heavy_ball, p), 1e-14);
  EXPECT_NEAR(rate_for_batch(model, Method::heavy_ball, p, 1.0),
              contraction(Method::heavy_ball, p, 3.0, 3.0), 1e-6);
}

// Σ_j K_ij = ‖A‖_F²·l_i when rows are drawn by norm, at any spread of the spectrum.
TEST(Edges, RowNormMomentsKeepTheirSums) {
  for (const double kappa : {1.0, 100.0, 1e6, 1e12}) {
    for (const int d : {1, 2, 3, 30}) {
      const auto l = spread_between(1.0, kappa, d);
      const Model model = gaussian_row_norm_model(l);
      const std::vector<double> ones(l.size(), 1.0);
      std::vector<double> sums(l.size());
      model.noise(ones, {}, 0.0, sums);
      for (std::size_t j = 0; j < l.size(); ++j)
        expect_relative(sums[j] + l[j] * l[j], model.energy * l[j], 1e-11, "row sum");
      const std::vector<double> zero(l.size(), 0.0);
      model.noise(zero, zero, 1.0, sums);
      double residual = 0.0;
      for (const double v : sums) residual += v;
      expect_relative(residual, model.energy, 1e-11, "residual");
    }
  }
}

TEST(Edges, TrajectoriesThatDivergeEndAtInfinity) {
  const auto l = spread_between(1.0, 10.0, 3);
  const auto run = mean_square_trajectory(gaussian_uniform_model(l), Method::heavy_ball,
                                          Parameters::of(0.3, 0.5), 1.0, {}, 5000);
  EXPECT_EQ(run.back(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(run.size(), 5001u);
}

TEST(Edges, ModelsRefuseWhatTheyCannotUse) {
  EXPECT_THROW(worst_case_model({}, 1.0), Error);
  EXPECT_THROW(worst_case_model({0.0, 1.0}, 1.0), Error);
  EXPECT_THROW(diag_model({1.0, 2.0}, {1.0}), Error);
  EXPECT_THROW(spread_model({1.0, 2.0}, {1.0}), Error);
  EXPECT_THROW(exact_model({1.0, 2.0}, {}, {}), Error);
  const Model worst = worst_case_model({1.0, 2.0}, 3.0);
  const Parameters p = recipe(1.0, 2.0, 3.0, 4.0);
  EXPECT_THROW(mean_square_trajectory(worst, Method::heavy_ball, p, 4.0, {}, 1), Error);
  EXPECT_THROW(horizon(worst, Method::heavy_ball, p, 4.0, 1.0), Error);
  const Model diag = diag_model({1.0, 2.0}, {2.0, 1.0, 1.0, 5.0});
  EXPECT_THROW(horizon(diag, Method::heavy_ball, p, 40.0, 1.0), Error);
  EXPECT_THROW(mean_square_trajectory(diag, Method::heavy_ball, p, 4.0, {{1.0}}, 1), Error);
  EXPECT_TRUE(std::isinf(upper_batch_for_rate(diag, Method::heavy_ball, p, 1.0)));
}

// One rare feature under uniform sampling: eta_eff hides it, eta and eta_H do not.
TEST(Edges, EtaEffIsNotSafeInTheRecipe) {
  const Index n = 400, d = 4;
  test::Rows A = test::random(n, d, 7) * std::sqrt(3.0);
  A.col(0).setZero();
  A(11, 0) = 5.0;
  const Eigen::VectorXd p = uniform_law(A);
  const Decomposed parts(A, p);
  const Model exact =
      exact_model(parts.eigenvalues, parts.eigenvectors, noise_of_rows(rows_view(A), span_of(p)));
  const double low = parts.eigenvalues.front(), high = parts.eigenvalues.back();
  const Eigen::Map<const test::Rows> S(parts.S.data(), d, d);
  const double largest = test::symmetric_eigen(S).values.maxCoeff();
  const double e_eff = largest / high, e_h = spread_energy(parts.eigenvalues, parts.S);
  const double batch = 4.0;
  const auto rate = [&](double energy) {
    return rate_for_batch(exact, Method::heavy_ball, recipe(low, high, energy, batch), batch);
  };
  EXPECT_GT(rate(e_eff), 1.0);
  EXPECT_LT(rate(e_h), 1.0);
  EXPECT_LT(rate(parts.eta * parts.frobenius2), 1.0);
}

TEST(Edges, TuningIsNeverWorseThanTheRecipe) {
  for (const double kappa : {1.0, 1.5, 30.0, 1e4, 1e8, 1e12}) {
    for (const Model& model : models_of(spread_between(1.0, kappa, 5))) {
      for (const double share : {0.1, 1.0, 100.0}) {
        const double batch = share * model.energy / std::sqrt(kappa);
        const Parameters p = recipe(1.0, kappa, model.energy, batch);
        const double rate = rate_for_batch(model, Method::heavy_ball, p, batch);
        const Tuned tuned = tune(model, Method::heavy_ball, batch);
        EXPECT_LT(rate, 1.0) << model.name << ' ' << kappa;
        EXPECT_LE(std::log(tuned.rate), std::log(rate) * (1.0 - 1e-9))
            << model.name << ' ' << kappa;
        const auto smallest = smallest_batch(model, Method::heavy_ball, tuned.rate);
        ASSERT_TRUE(smallest) << model.name << ' ' << kappa;
        EXPECT_NEAR(smallest->batch / batch, 1.0, 1e-2) << model.name << ' ' << kappa;
        EXPECT_LT(tune(model, Method::nesterov, batch).rate, 1.0) << model.name << ' ' << kappa;
      }
    }
  }
}

// Two ends where nothing else is known: beyond r = 1 the answer stays that of 1.
TEST(Edges, EndsPromiseNothingBelowTheirThreshold) {
  const Model ends = worst_case_model(1.0, 100.0, 500.0);
  const Parameters p = heavy_ball_parameters(1.0, 100.0, 1e-3);
  const double threshold = stability_threshold(ends, Method::heavy_ball, p);
  EXPECT_EQ(batch_for_rate(ends, Method::heavy_ball, p, 2.0), threshold);
  EXPECT_TRUE(std::isinf(rate_for_batch(ends, Method::heavy_ball, p, 0.99 * threshold)));
  EXPECT_LT(rate_for_batch(ends, Method::heavy_ball, p, 1.01 * threshold), 1.0);
  EXPECT_TRUE(std::isinf(certified_mean_square(ends, p, 1e9, 10)));
  for (const Method method : {Method::heavy_ball, Method::nesterov}) {
    for (const double batch : {1.0, 30.0, 1e4}) EXPECT_LT(tune(ends, method, batch).rate, 1.0);
  }
}

}  // namespace
}  // namespace polyak::theory
