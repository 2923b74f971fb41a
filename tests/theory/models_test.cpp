// The cheap models: every predictor of the golden file.

#include <map>

#include "golden.hpp"

namespace polyak::theory {
namespace {

constexpr double explicit_batch = 1e-11;  // no search: rounding and quadrature
constexpr double searched_rate = 1e-10;   // the reference stopped its own searches near 3e-11

Parameters golden_parameters(const json& problem) {
  return heavy_ball_parameters(number(problem["lmin"]), number(problem["lmax"]), golden_gamma);
}

void expect_predictor(const Model& model, const json& problem, const json& expected) {
  const Parameters p = golden_parameters(problem);
  expect_golden(stability_threshold(model, Method::heavy_ball, p), expected["Bcrit_stability"],
                explicit_batch, model.name + ", stability");
  expect_golden(batch_for_rate(model, Method::heavy_ball, p, number(problem["rate_thm"])),
                expected["B_for_rate_thm"], explicit_batch, model.name + ", batch");
  for (const auto& [c, rate] : expected["rate_at_c"].items()) {
    const double batch = std::stod(c) * number(problem["Bstar"]);
    expect_golden(rate_for_batch(model, Method::heavy_ball, p, batch), rate, searched_rate,
                  model.name + ", rate at " + c);
  }
}

// Haar rows: the reference has n = 1e6 in the uniform one.
TEST(GaussianModels, HaveThePredictorsOfTheGoldenFile) {
  for (const auto& [name, problem] : golden_problems()) {
    if (name == "sampling") continue;
    SCOPED_TRACE(name);
    const auto l = SpectrumName(name).eigenvalues();
    const json& predictor = problem["predictor"];
    expect_predictor(gaussian_row_norm_model(l), problem, predictor["rownorm"]);
    expect_predictor(gaussian_uniform_model(l, golden_rows), problem, predictor["uniform"]);
  }
}

TEST(GaussianModels, HaveTheGoldenBatchesForTheStepOneOverLambdaMax) {
  for (const auto& [name, problem] : golden_problems()) {
    if (name == "sampling") continue;
    SCOPED_TRACE(name);
    const auto l = SpectrumName(name).eigenvalues();
    const json& expected = problem["predictor"]["alpha_1_over_L"];
    const double root_kappa = std::sqrt(number(problem["kappa"])), r = 1.0 - 0.5 / root_kappa;
    const Parameters p = Parameters::with_gap(1.0 / number(problem["lmax"]), 1.0 / root_kappa);
    expect_golden(p.alpha, expected["alpha"], 1e-12, "alpha");
    expect_golden(p.beta(), expected["beta"], 1e-12, "beta");
    const auto batch = [&](const Model& m) { return batch_for_rate(m, Method::heavy_ball, p, r); };
    expect_golden(batch(gaussian_row_norm_model(l)), expected["haar_rownorm_B"], explicit_batch,
                  "");
    expect_golden(batch(gaussian_uniform_model(l, golden_rows)), expected["haar_uniform_B"],
                  explicit_batch, "");
    expect_golden(batch(worst_case_model(l, number(problem["F2"]))),
                  expected["worst_case_A_Bcert_rate_1_minus_half_over_sqrtkappa"], explicit_batch,
                  "");
  }
}

TEST(WorstCaseModel, HasTheGoldenCertificatesFromTheSpectrumAndFromItsEnds) {
  for (const auto& [name, problem] : golden_problems()) {
    if (name == "sampling") continue;
    SCOPED_TRACE(name);
    const json& expected = problem["predictor"]["worst_case_A_rownorm"];
    const Parameters p = golden_parameters(problem);
    const MatrixNumbers n = numbers_of(problem);
    for (const Model& model : {worst_case_model(SpectrumName(name).eigenvalues(), n.frobenius2),
                               worst_case_model(n.lambda_min, n.lambda_max, n.frobenius2)}) {
      expect_golden(stability_threshold(model, Method::heavy_ball, p), expected["Bcert_stability"],
                    explicit_batch, "stability");
      expect_golden(batch_for_rate(model, Method::heavy_ball, p, number(problem["rate_thm"])),
                    expected["Bcert_for_rate_thm"], explicit_batch, "rate");
    }
    expect_golden(heavy_ball_theory(n, golden_gamma).batch_certified_stability,
                  expected["Bcert_stability"], explicit_batch, "closed forms");
  }
}

TEST(NesterovMoments, AreThoseOfTheGoldenFile) {
  const json all = test::golden().at("nag_moment");
  ASSERT_EQ(all.size(), 8u);
  for (const auto& [name, expected] : all.items()) {
    SCOPED_TRACE(name);
    const SpectrumName spectrum(name);
    const auto l = spectrum.eigenvalues();
    const Parameters p = nesterov_parameters(1.0, spectrum.kappa, golden_gamma);
    const double r = 1.0 - 0.5 / std::sqrt(spectrum.kappa);
    double F2 = 0.0;
    for (const double v : l) F2 += v;
    const Model haar = gaussian_row_norm_model(l), worst = worst_case_model(l, F2);
    expect_golden(stability_threshold(haar, Method::nesterov, p), expected["Bcrit_stability"],
                  explicit_batch, "stability");
    expect_golden(batch_for_rate(haar, Method::nesterov, p, r),
                  expected["B_rate_1_minus_half_over_sqrtkappa"], explicit_batch, "rate");
    expect_golden(stability_threshold(worst, Method::nesterov, p), expected["worstA_stability"],
                  explicit_batch, "worst case");
    expect_golden(batch_for_rate(worst, Method::nesterov, p, r), expected["worstA_rate"],
                  explicit_batch, "worst case, rate");
  }
}

// The sampling problem A = DG in the population. A covariance that does not tell
// the columns apart is q_1·vv' + q_2(I − vv'), v = 1/√d, and stays so; what it needs
// of a row with m ones is (v'g)² = m²/d and ‖g‖² − (v'g)² = m − m²/d.
class SamplingPopulation {
 public:
  SamplingPopulation() {
    double p = std::pow(1.0 - share_, d_);
    for (int m = 0; m <= d_; ++m) {
      of_ones_.push_back(p);
      p *= (d_ - m) / (m + 1.0) * share_ / (1.0 - share_);
    }
  }

  // Σ over rows of weight(m)·(…)², as a 2 × 2 matrix on unit vectors.
  template <class Weight>
  std::vector<double> K(Weight weight) const {
    double k[3] = {0.0, 0.0, 0.0};
    for (int m = 1; m <= d_; ++m) {
      const double x = static_cast<double>(m * m) / d_, y = m - x,
                   w = of_ones_[to_size(m)] * weight(m);
      k[0] += w * x * x, k[1] += w * x * y, k[2] += w * y * y;
    }
    const double mixed = k[1] / std::sqrt(d_ - 1.0);
    return {k[0], mixed, mixed, k[2] / (d_ - 1.0)};
  }
  double moment(int power) const {
    double sum = 0.0;
    for (int m = 0; m <= d_; ++m) sum += of_ones_[to_size(m)] * std::pow(m, power);
    return sum;
  }
  // P(more than m ones).
  double tail(int m) const {
    double sum = 0.0;
    for (int k = d_; k > m; --k) sum += of_ones_[to_size(k)];
    return sum;
  }

 private:
  static constexpr double share_ = 0.1;
  static constexpr int d_ = 100;
  std::vector<double> of_ones_;
};

constexpr double n_rows = 1e6, mean_D2 = 10.9, mean_D4 = 1000.9;

TEST(DiagModel, HasTheGoldenPredictorsOfTheSamplingProblem) {
  const json problem = test::golden().at("sampling_DG_expectation");
  const MatrixNumbers n = numbers_of(problem);
  const SamplingPopulation rows;
  const std::vector<double> l{n.lambda_max, n.lambda_min};
  const auto by_norm = rows.K([&](double m) { return n.frobenius2 * n_rows * mean_D2 / m; });
  const auto uniform = rows.K([&](double) { return n_rows * n_rows * mean_D4; });
  expect_predictor(diag_model(l, by_norm), problem, problem["predictor"]["rownorm"]);
  expect_predictor(diag_model(l, uniform), problem, problem["predictor"]["uniform"]);
}

TEST(SamplingProblem, HasTheGoldenNoiseFactors) {
  const json problem = test::golden().at("sampling_DG_expectation");
  const MatrixNumbers n = numbers_of(problem);
  const SamplingPopulation rows;
  const double effective =
      n_rows * n_rows * mean_D4 * rows.moment(3) / 100.0 / (n.frobenius2 * n.lambda_max);
  expect_golden(effective, problem["eta_eff_uniform"], 1e-12, "eta_eff");
  // The largest m among rows with D = 10; the reference lost digits to 1 − cdf
  // and cut its mean at m = 31.
  const auto at_most = [&](int m) { return std::exp(n_rows * std::log1p(-0.1 * rows.tail(m))); };
  double mean = 0.0;
  for (const auto& [m, p] : problem["eta_uniform"]["prob_of_m"].items()) {
    const double share = at_most(std::stoi(m)) - at_most(std::stoi(m) - 1);
    expect_golden(share, p, 1e-7, "P(" + m + ")");
    mean += std::stoi(m) * share * 100.0 / 109.0;
  }
  expect_golden(mean, problem["eta_uniform"]["expected"], 1e-9, "eta");
}

TEST(GaussianModels, AreTheDiagonalOnesOfTheirMatrices) {
  const std::vector<double> l{1.0, 2.0, 2.0, 9.0, 30.0};
  const double f = 50.0 / 52.0;
  std::vector<double> K(25);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) K[i * 5 + j] = f * l[i] * l[j] * (i == j ? 3.0 : 1.0);
  }
  const Parameters p = recipe(1.0, 30.0, 44.0, 3.0);
  const Model closed = gaussian_uniform_model(l, 50), matrix = diag_model(l, K, l);
  for (const Method method : {Method::heavy_ball, Method::nesterov}) {
    for (const double r : {0.97, 1.0, 1.4})
      expect_relative(batch_for_rate(closed, method, p, r), batch_for_rate(matrix, method, p, r),
                      1e-13, "batch");
    const Start start{{1.0, -2.0, 3.0, 0.5, 1.0}, 0.7};
    const auto a = mean_square_trajectory(closed, method, p, 20.0, start, 40);
    const auto b = mean_square_trajectory(matrix, method, p, 20.0, start, 40);
    for (std::size_t k = 0; k <= 40; ++k) expect_relative(a[k], b[k], 1e-12, "trajectory");
    expect_relative(horizon(closed, method, p, 20.0, 0.7), horizon(matrix, method, p, 20.0, 0.7),
                    1e-12, "horizon");
  }
}

}  // namespace
}  // namespace polyak::theory
