// The 6 × 3 problem with small integers, whose moments were checked by going
// through all sample paths: rates, thresholds and trajectories of the exact
// theory, both samplings and both gammas.

#include "golden.hpp"
#include "kronecker.hpp"
#include "theory/parameters.hpp"

namespace polyak::theory::tiny {
namespace {

constexpr double exact = 1e-10;

struct Case {
  std::string gamma_key, sampling;
  double gamma;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.sampling << "_" << c.gamma_key; }

class TinyProblem : public testing::TestWithParam<Case> {
 protected:
  Eigen::VectorXd law() const {
    return GetParam().sampling == "row" ? row_norm_law(tiny_.A) : uniform_law(tiny_.A);
  }
  Decomposed decomposed() const { return {tiny_.A, law()}; }
  Parameters parameters() const {
    const auto l = decomposed().eigenvalues;
    return heavy_ball_parameters(l.front(), l.back(), GetParam().gamma);
  }
  Model model(const Eigen::VectorXd& residual = {}) const {
    const Decomposed parts = decomposed();
    return exact_model(parts.eigenvalues, parts.eigenvectors,
                       noise_of_rows(rows_view(tiny_.A), span_of(law()), span_of(residual)));
  }
  // x_0 = 0, so that the first error is −x*.
  std::vector<double> start(const Eigen::VectorXd& x_star) const {
    const Decomposed parts = decomposed();
    const Eigen::Map<const test::Rows> V(parts.eigenvectors.data(), 3, 3);
    const Eigen::VectorXd e = -V * x_star;
    return {e.data(), e.data() + e.size()};
  }
  const json& of_gamma() const { return tiny_.numbers[GetParam().gamma_key]; }
  const json& expected() const { return of_gamma()[GetParam().sampling]; }

  test::Tiny tiny_;
};

TEST_P(TinyProblem, HasTheGoldenClosedForms) {
  const Decomposed parts = decomposed();
  for (std::size_t j = 0; j < 3; ++j)
    expect_golden(parts.eigenvalues[j], tiny_.numbers["lam"][j], 1e-12, "eigenvalue");
  expect_golden(parts.frobenius2, tiny_.numbers["F2"], 1e-12, "F2");
  const double eta = GetParam().sampling == "row" ? 1.0 : number(tiny_.numbers["eta_uniform"]);
  expect_relative(parts.eta, eta, 1e-12, "eta");
  const MatrixNumbers n{parts.eigenvalues.front(), parts.eigenvalues.back(), parts.frobenius2, 3,
                        1.0};
  const HeavyBallTheory theory = heavy_ball_theory(n, GetParam().gamma);
  expect_golden(theory.parameters.alpha, of_gamma()["alpha"], 1e-12, "alpha");
  expect_golden(theory.parameters.beta(), of_gamma()["beta"], 1e-12, "beta");
  expect_golden(theory.M, of_gamma()["M_exact"], 1e-12, "M");
  expect_golden(theory.M, of_gamma()["M_svd"], 1e-12, "M");
  expect_golden(theory.M_bound, of_gamma()["M_lemma"], 1e-12, "M_bound");
  expect_golden(theory.batch_heuristic.value(), of_gamma()["Bstar"], 1e-12, "B*");
  const Eigen::VectorXd r = tiny_.A * tiny_.x_ls - tiny_.b_inconsistent;
  expect_golden(r.norm(), tiny_.numbers["r_norm"], 1e-12, "r");
  const double sigma = (r.array().abs() / tiny_.A.rowwise().norm().array()).maxCoeff();
  expect_golden(sigma, tiny_.numbers["sigma"], 1e-12, "sigma");
}

TEST_P(TinyProblem, HasTheGoldenThresholdsAndRates) {
  const Decomposed parts = decomposed();
  const Parameters p = parameters();
  const Method hbm = Method::heavy_ball;
  expect_golden(stability_threshold(model(), hbm, p), expected()["Bcrit_1"], exact, "exact");
  expect_golden(stability_threshold(diag_model(parts.eigenvalues, parts.K), hbm, p),
                expected()["Bcrit_diag_1"], exact, "diag");
  const double energy = parts.eta * parts.frobenius2;
  expect_golden(stability_threshold(worst_case_model(parts.eigenvalues, energy), hbm, p),
                expected()["Bcert_1"], exact, "certified");
  for (const auto& [batch, rate] : expected()["rate_at_B"].items())
    expect_golden(rate_for_batch(model(), hbm, p, std::stod(batch)), rate, exact, "B = " + batch);
}

TEST_P(TinyProblem, HasTheGoldenTrajectories) {
  const Parameters p = parameters();
  const auto check = [](const std::vector<double>& got, const json& wanted, const char* what) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t k = 0; k < got.size(); ++k) expect_golden(got[k], wanted[k], exact, what);
  };
  for (const auto& [batch, wanted] : expected()["ms_traj"].items()) {
    check(mean_square_trajectory(model(), Method::heavy_ball, p, std::stod(batch),
                                 {start(tiny_.x_planted)}, 8),
          wanted, "consistent");
  }
  const Eigen::VectorXd r = tiny_.A * tiny_.x_ls - tiny_.b_inconsistent;
  check(mean_square_trajectory(model(r), Method::heavy_ball, p, 4.0, {start(tiny_.x_ls), r.norm()},
                               8),
        expected()["ms_traj_inconsistent_B4"], "inconsistent");
}

INSTANTIATE_TEST_SUITE_P(All, TinyProblem,
                         testing::Values(Case{"gamma_lmin_over_1000", "row", 1e-3},
                                         Case{"gamma_lmin_over_1000", "uniform", 1e-3},
                                         Case{"gamma_lmin_over_10", "row", 0.1},
                                         Case{"gamma_lmin_over_10", "uniform", 0.1}));

}  // namespace
}  // namespace polyak::theory::tiny
