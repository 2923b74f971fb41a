// The closed forms against 17 digits that were computed elsewhere with 40.

#include "theory/closed_forms.hpp"

#include <algorithm>
#include <numbers>

#include "golden.hpp"
#include "theory/parameters.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

constexpr double close = 1e-12;

TEST(HeavyBallTheory, HasEveryClosedFormOfTheGoldenFile) {
  for (const auto& [name, problem] : golden_problems()) {
    SCOPED_TRACE(name);
    const MatrixNumbers n = numbers_of(problem);
    const HeavyBallTheory theory = heavy_ball_theory(n, golden_gamma);
    const Parameters p = theory.parameters;
    expect_golden(n.kappa(), problem["kappa"], close, "kappa");
    expect_golden(n.kappa_bar(), problem["kappa_bar"], close, "kappa_bar");
    expect_golden(golden_gamma * n.lambda_min, problem["gamma"], close, "gamma");
    expect_golden(n.lambda_max + golden_gamma * n.lambda_min, problem["L"], close, "L");
    expect_golden(n.lambda_min - golden_gamma * n.lambda_min, problem["l"], close, "l");
    expect_golden(theory.optimal.alpha, problem["alpha_star"], close, "alpha_star");
    expect_golden(theory.optimal.root, problem["sqrt_beta_star"], close, "sqrt_beta_star");
    expect_golden(p.alpha, problem["alpha"], close, "alpha");
    expect_golden(p.beta(), problem["beta"], close, "beta");
    expect_golden(p.root, problem["sqrt_beta"], close, "sqrt_beta");
    expect_golden(1.0 - p.gap, problem["sqrt_beta"], close, "1 - gap");
    expect_golden(theory.M, problem["M_exact"], close, "M");
    expect_golden(theory.M_bound, problem["M_lemma"], close, "M_bound");
    const Edges e = edges_of_gamma(p, n.lambda_min, n.lambda_max, golden_gamma);
    expect_golden(std::sqrt(e.tau2), problem["tau"], close, "tau");
    expect_golden(theory.batch_heuristic.value(), problem["Bstar"], close, "B*");
    expect_golden(theory.k_star.value(), problem["kstar"], close, "k*");
    expect_golden(theory.theta, problem["theta_logk_over_k"], close, "theta");
    expect_golden(theta_of(*theory.k_star), problem["theta_logk_over_k"], close, "theta(k*)");
    expect_golden(theory.delta, problem["delta"], close, "delta");
    expect_golden(theory.rate_theorem, problem["rate_thm"], close, "rate");
    expect_golden(theory.batch_theorem, problem["B_thm_Mexact"], close, "batch");
    expect_golden(theory.batch_theorem_bound, problem["B_thm_Mlemma"], close, "batch, lemma");
    expect_golden(theory.batch_vector, problem["B_vec_same_rate"], close, "B_vec");
  }
}

TEST(NesterovTheory, HasEveryClosedFormOfTheGoldenFile) {
  for (const auto& [name, problem] : golden_problems()) {
    SCOPED_TRACE(name);
    const json& nag = problem["NAG"];
    const NesterovTheory theory = nesterov_theory(numbers_of(problem), golden_gamma);
    expect_golden(theory.parameters.alpha, nag["alpha"], close, "alpha");
    expect_golden(theory.parameters.beta(), nag["beta"], close, "beta");
    expect_golden(theory.rate, nag["rate"], close, "rate");
    expect_golden(theory.rate_factor, nag["rate_thm_factor"], close, "factor");
    expect_golden(theory.rate_theorem, nag["rate_thm"], close, "rate of the theorem");
    expect_golden(theory.M, nag["M_exact"], close, "M");
    expect_golden(theory.M_bound, nag["M_bound"], close, "M_bound");
    expect_golden(theory.batch_theorem, nag["B_thm"], close, "batch");
    const NesterovTheory plain = nesterov_theory(numbers_of(problem), 0.0);
    expect_golden(plain.rate, nag["rate_gamma0"], close, "rate without gamma");
    expect_golden(plain.parameters.beta(), nag["beta_gamma0"], close, "beta without gamma");
    EXPECT_TRUE(std::isinf(plain.M) && std::isinf(plain.M_bound) &&
                std::isinf(plain.batch_theorem));
  }
}

// At given (alpha, beta) the distance to the edge, 1e-5 of alpha·lmax at
// kappa = 100, is all that is left of the digits.
TEST(ConditionNumber, OfGivenParametersAgreesAsFarAsTheyDetermineIt) {
  for (const auto& [name, problem] : golden_problems()) {
    const MatrixNumbers n = numbers_of(problem);
    const Parameters p = Parameters::of(number(problem["alpha"]), number(problem["beta"]));
    expect_golden(condition_number(p, n.lambda_min, n.lambda_max), problem["M_exact"], 1e-9, name);
    expect_golden(vector_batch(n, p, number(problem["rate_thm"])), problem["B_vec_same_rate"], 1e-9,
                  name);
  }
}

TEST(TheTheorem, FollowsFromTheMatrixLemma) {
  for (const auto& [name, problem] : golden_problems()) {
    const MatrixNumbers n = numbers_of(problem);
    const HeavyBallTheory t = heavy_ball_theory(n, golden_gamma);
    const double delta = t.parameters.root * std::sqrt(t.theta / 2.0);
    const double lemma = matrix_lemma_batch(n, delta / (t.parameters.alpha * t.M));
    expect_relative(t.batch_theorem, lemma, close, name);
  }
}

TEST(HeuristicStep, InvertsTheHeuristic) {
  for (const auto& [name, problem] : golden_problems()) {
    MatrixNumbers n = numbers_of(problem);
    n.eta = 3.0;
    for (const double beta : {0.25, 0.5, 0.95, 0.999}) {
      const double alpha = heuristic_step(n, 407.0, beta);
      expect_relative(heuristic_batch(n.frobenius2, n.lambda_max, n.cols, n.eta, alpha, beta),
                      407.0, close, name);
    }
  }
}

TEST(KStar, SolvesItsEquationAndIsAbsentBelowESquared) {
  for (const double kappa : {7.4, 8.0, 10.0, 1e3, 1e6, 1e12}) {
    const double k = k_star(kappa).value();
    EXPECT_GT(k, std::numbers::e);
    expect_relative(k / std::log(k), std::sqrt(kappa), close, "k*");
  }
  EXPECT_FALSE(k_star(7.38));
  EXPECT_FALSE(k_star(1.0));
  EXPECT_TRUE(k_star(std::numbers::e * std::numbers::e * (1 + 1e-9)));
}

TEST(Corollary, HasTheGoldenConstants) {
  const json corollary = test::golden().at("corollary");
  EXPECT_NEAR(corollary_constant(1.0), 11876.354527, 5e-7);
  for (const auto& [kappa, expected] : corollary.items()) {
    if (!expected.is_object()) continue;
    SCOPED_TRACE(kappa);
    const CorollaryChoice theorem = best_corollary(std::stod(kappa));
    const CorollaryChoice vector = best_vector_corollary(std::stod(kappa));
    // The reference stopped its search where the constant no longer changed:
    // gamma, and with it M, are then good to the root of the rounding.
    expect_golden(theorem.gamma, expected["best_gamma_over_lmin"], 5e-6, "gamma");
    expect_golden(theorem.M, expected["M"], 5e-6, "M");
    expect_golden(theorem.constant, expected["C_thm"], 1e-10, "C");
    expect_golden(vector.gamma, expected["gamma_vec"], 5e-6, "gamma, vector");
    expect_golden(vector.constant, expected["C_vec"], 1e-10, "C, vector");
    EXPECT_LE(theorem.constant, number(expected["C_thm"]) * (1 + 1e-11));
    EXPECT_LE(vector.constant, number(expected["C_vec"]) * (1 + 1e-11));
  }
}

double find(const std::vector<TableRow>& table, const std::string& method, bool rows) {
  const auto row = std::ranges::find(table, method, &TableRow::method);
  if (row == table.end()) return std::numeric_limits<double>::quiet_NaN();
  return rows ? row->rows_per_iteration : row->iterations;
}

TEST(IterationTable, IsThePapersWithTheCorrectedRows) {
  const std::pair<std::string, std::string> names[] = {
      {"HBM", "HBM"},
      {"RK", "RK"},
      {"ARK_printed_d_sqrt_kbar", "ARK, printed"},
      {"ARK_LiuWright_sqrt_n_d_kbar", "ARK, Liu and Wright"},
      {"MinibatchHBM_printed", "Minibatch-HBM, printed"},
      {"MinibatchHBM_sharp_alpha_1_over_L", "Minibatch-HBM, step 1/lambda_max"}};
  for (const auto& [name, problem] : golden_problems()) {
    if (!problem.contains("table_iterations_x_rows")) continue;
    const auto table = iteration_table(numbers_of(problem), golden_rows, 87.0);
    for (const auto& [theirs, ours] : names) {
      const json& expected = problem["table_iterations_x_rows"][theirs];
      expect_golden(find(table, ours, false), expected[0], close, name + ", " + theirs);
      expect_golden(find(table, ours, true), expected[1], close, name + ", " + theirs);
    }
    const double dk = number(problem["F2"]) / number(problem["lmin"]);
    expect_relative(find(table, "ARK, corrected", false), std::sqrt(87.0 * dk), close, name);
    EXPECT_EQ(table.size(), 7u);
  }
  EXPECT_EQ(iteration_table({1.0, 2.0, 3.0, 2}, 10).size(), 6u);
}

}  // namespace
}  // namespace polyak::theory
