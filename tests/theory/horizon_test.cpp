// How near an inconsistent problem is solved: the golden horizons, of the model
// and certified, and the paper's arithmetic.

#include "golden.hpp"

namespace polyak::theory {
namespace {

class Inconsistent : public testing::Test {
 protected:
  const json problem_ = test::golden().at("inconsistent_exp_rho0.5_kappa50");
  const std::vector<double> l_ = SpectrumName("exp_rho0.5_kappa50").eigenvalues();
  const MatrixNumbers n_ = numbers_of(problem_);
  const HeavyBallTheory theory_ = heavy_ball_theory(n_, golden_gamma);
  const double residual_ = number(problem_["E_rms_r_norm"]);
  const double residual_energy_ = n_.frobenius2 * residual_ * residual_;
};

TEST_F(Inconsistent, HasTheGoldenHorizons) {
  const Model haar = gaussian_row_norm_model(l_), worst = worst_case_model(l_, n_.frobenius2);
  const Method hbm = Method::heavy_ball;
  for (const auto& [c, expected] : problem_["horizon"].items()) {
    if (c == "RK") continue;
    SCOPED_TRACE(c);
    const double batch = std::stod(c) * number(problem_["Bstar"]);
    expect_golden(batch, expected["B"], 1e-12, "B");
    const double model = horizon(haar, hbm, theory_.parameters, batch, residual_);
    const double certified =
        certified_horizon(worst, hbm, theory_.parameters, batch, residual_energy_);
    if (expected["rms_exact_model"].is_null())
      EXPECT_TRUE(std::isinf(model));
    else
      expect_golden(model, expected["rms_exact_model"], 1e-12, "model");
    if (expected["R_ms_certificate_anyA"].is_null())
      EXPECT_TRUE(std::isinf(certified));
    else
      expect_golden(certified, expected["R_ms_certificate_anyA"], 1e-12, "certified");
    EXPECT_GE(certified, model);
    const Model ends = worst_case_model(n_.lambda_min, n_.lambda_max, n_.frobenius2);
    EXPECT_EQ(certified, certified_horizon(ends, hbm, theory_.parameters, batch, residual_energy_));
  }
}

TEST_F(Inconsistent, HasTheGoldenHorizonsOfKaczmarz) {
  const json& expected = problem_["horizon"]["RK"];
  const Parameters p = Parameters::of(1.0 / n_.frobenius2, 0.0);
  const Model worst = worst_case_model(l_, n_.frobenius2);
  const Method plain = Method::heavy_ball;
  expect_golden(p.alpha, expected["alpha"], 1e-12, "alpha");
  expect_golden(horizon(gaussian_row_norm_model(l_), plain, p, 1.0, residual_),
                expected["rms_exact_model"], 1e-12, "model");
  expect_golden(certified_horizon(worst, plain, p, 1.0, residual_energy_),
                expected["R_ms_certificate_anyA"], 1e-12, "certified");
  // The certificate of Kaczmarz is its classical rate, √(1 − lambda_min/‖A‖_F²).
  const double rate = rate_for_batch(worst, plain, p, 1.0);
  expect_relative(rate, std::sqrt(1.0 - n_.lambda_min / n_.frobenius2), 1e-13, "rate");
  expect_golden(std::log(1e-6) / std::log(rate), expected["iters_1e6"], 1e-10, "iterations");
  expect_golden(std::sqrt(n_.frobenius2 / n_.lambda_min) * number(problem_["sigma_sample"]),
                expected["bound_needell_sqrt_dkbar_sigma"], 1e-12, "Needell");
  expect_golden(residual_ / std::sqrt(n_.lambda_min), expected["bound_rnorm_over_sqrt_lmin"], 1e-12,
                "limit");
}

// noise of norm 1e-5 in R^n, of which d dimensions are fitted.
TEST_F(Inconsistent, HasTheGoldenDistances) {
  const double n = golden_rows, d = golden_cols;
  double trace_inverse = 0.0;
  for (const double v : l_) trace_inverse += 1.0 / v;
  expect_golden(1e-5 * std::sqrt((n - d) / n), problem_["E_rms_r_norm"], 1e-12, "r");
  expect_golden(1e-5 * std::sqrt(trace_inverse / n), problem_["rms_planted_minus_xstar"], 1e-12,
                "x* - planted");
}

TEST_F(Inconsistent, HasThePapersArithmeticButNotItsHypothesis) {
  const double sigma = number(problem_["sigma_sample"]);
  for (const auto& [c, expected] : problem_["horizon"].items()) {
    if (c == "RK") continue;
    const PaperHorizon R = paper_horizon(n_, theory_, number(expected["B"]), residual_, sigma);
    expect_golden(R.printed, expected["R_paper"], 1e-12, "printed");
    expect_golden(R.corrected, expected["R_corrected_2d"], 1e-12, "corrected");
    expect_golden(R.no_log, expected["R_sharp_no_log"], 1e-12, "without the log");
    EXPECT_FALSE(R.applicable);
  }
  EXPECT_TRUE(paper_horizon(n_, theory_, 1.01 * theory_.batch_vector, 1.0, 1.0).applicable);
  EXPECT_FALSE(paper_horizon(n_, theory_, 0.99 * theory_.batch_vector, 1.0, 1.0).applicable);
}

TEST(PaperHorizon, IsNotApplicableWhereTheTheoremPromisesNothing) {
  const MatrixNumbers n{1.0, 100.0, 200.0, 10, 1.0};
  const HeavyBallTheory slow = heavy_ball_theory(n, 0.9, 3.0);
  ASSERT_GT(slow.rate_theorem, 1.0);
  const PaperHorizon R = paper_horizon(n, slow, 1e30, 1.0, 1.0);
  EXPECT_FALSE(R.applicable);
  EXPECT_TRUE(std::isinf(R.printed));
}

// An impossible shortcut: eta_H bounds the feedback of the error, not the noise
// of the residual, which duplicated large rows can carry alone.
TEST(CertifiedHorizon, NeedsTheFullEnergyOfTheResidual) {
  std::vector<double> a(1000, 1.0);
  a[0] = a[1] = 10.0;
  const double n = 1000.0, H = 998.0 + 200.0, S = n * (998.0 + 2e4), residual_energy = n * 100.0;
  const std::vector<double> l{H};
  const double eta_h_energy = spread_energy(l, std::vector<double>{S});
  const Parameters p = Parameters::of(0.1 / H, 0.0);
  const double batch = 1e6;
  // r = (1, −1, 0, …)/√2: exact in one dimension, alpha²·R/B·Gam/(1 − alpha²K'Gam/B).
  const Model exact = diag_model(l, {S}, {residual_energy});
  const double truth = horizon(exact, Method::heavy_ball, p, batch, 1.0);
  const Model worst = worst_case_model(l, eta_h_energy);
  EXPECT_GE(certified_horizon(worst, Method::heavy_ball, p, batch, residual_energy), truth);
  EXPECT_LT(certified_horizon(worst, Method::heavy_ball, p, batch, eta_h_energy), 0.5 * truth);
}

}  // namespace
}  // namespace polyak::theory
