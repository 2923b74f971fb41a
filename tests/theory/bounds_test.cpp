// Bounds for exact gradients, the checks in front of them, and edges where the
// formulas end.

#include <limits>

#include "golden.hpp"
#include "polyak/error.hpp"
#include "theory/parameters.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

// Errors e_0 = 1 after 0, 1, … steps of (HBM) on each eigenvalue.
class ExactErrors {
 public:
  ExactErrors(Parameters p, std::vector<double> l)
      : p_(p), l_(std::move(l)), now_(l_.size(), 1.0), before_(now_) {}
  void step() {
    for (std::size_t j = 0; j < l_.size(); ++j) {
      const double next = (1.0 + p_.beta() - p_.alpha * l_[j]) * now_[j] - p_.beta() * before_[j];
      before_[j] = std::exchange(now_[j], next);
    }
  }
  double worst() const {
    double most = 0.0;
    for (const double e : now_) most = std::max(most, std::abs(e));
    return most;
  }

 private:
  Parameters p_;
  std::vector<double> l_, now_, before_;
};

template <class Error>
Index first_within(double tolerance, Error error) {
  Index k = 0;
  while (error(k) > tolerance) ++k;
  return k;
}

Model no_noise(const std::vector<double>& l) {
  return diag_model(l, std::vector<double>(l.size() * l.size(), 0.0));
}

void expect_iterations(const std::vector<double>& l, const json& problem, double tolerance,
                       const json& expected) {
  const MatrixNumbers n = numbers_of(problem);
  const HeavyBallTheory t = heavy_ball_theory(n, golden_gamma);
  const Parameters p = t.parameters;
  const auto mean_square = mean_square_trajectory(no_noise(l), Method::heavy_ball, p, 1.0, {}, 400);
  EXPECT_EQ(first_within(tolerance, [&](Index k) { return std::sqrt(mean_square[to_size(k)]); }),
            expected["N_rms_isotropic"].get<Index>());
  ExactErrors errors(p, l);
  Index worst = 0;
  for (; errors.worst() > tolerance; ++worst) errors.step();
  EXPECT_EQ(worst, expected["N_worst_case"].get<Index>());
  EXPECT_EQ(first_within(tolerance, [&](Index k) { return heavy_ball_bound(t.M, p, k); }),
            expected["N_paper_bound"].get<Index>());
  const auto sharp = [&](Index k) {
    return heavy_ball_sharp_bound(p, n.lambda_min, n.lambda_max, k);
  };
  EXPECT_EQ(first_within(tolerance, sharp), expected["N_sharp_poly_bound"].get<Index>());
  expect_golden(std::log(tolerance) / std::log(p.root), expected["N_rate_only"], 1e-12, "rate");
}

TEST(HeavyBallBounds, NeedTheIterationsOfTheGoldenFile) {
  for (const auto& [name, problem] : golden_problems()) {
    SCOPED_TRACE(name);
    std::vector<double> l(golden_cols, number(problem["lmin"]));
    l.back() = number(problem["lmax"]);  // the sampling problem: two different eigenvalues
    if (name != "sampling") l = SpectrumName(name).eigenvalues();
    expect_iterations(l, problem, 1e-6, problem["HBM_iterations"]["tol_1e-06"]);
    expect_iterations(l, problem, 1e-10, problem["HBM_iterations"]["tol_1e-10"]);
  }
}

TEST(HeavyBallBounds, HoldOnEverySpectrum) {
  for (const double kappa : {1.0, 1.5, 10.0, 1e4}) {
    for (const double gamma : {0.0, 1e-3, 0.5}) {
      const Parameters p = heavy_ball_parameters(1.0, kappa, gamma);
      const double M = condition_number(p, 1.0, kappa);
      std::vector<double> l;
      for (int i = 0; i <= 50; ++i) l.push_back(1.0 + (kappa - 1.0) * i / 50.0);
      ExactErrors errors(p, l);
      for (Index k = 0; k < 400; ++k, errors.step()) {
        // Rounding, and the least doubles.
        const double slack =
            1e-9 * std::pow(std::max(p.root, 0.1), static_cast<double>(k)) + 1e-300;
        ASSERT_LE(errors.worst(), heavy_ball_sharp_bound(p, 1.0, kappa, k) * (1 + 1e-9) + slack)
            << kappa << ' ' << gamma << ' ' << k;
        if (std::isfinite(M)) {
          ASSERT_LE(errors.worst(), heavy_ball_bound(M, p, k) * (1 + 1e-9) + slack);
        }
      }
    }
  }
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "no error";
}

TEST(Checks, TellTheAdmissibleRegion) {
  const Parameters good = heavy_ball_parameters(1.0, 9.0, 0.1);
  EXPECT_TRUE(admissible(good, 1.0, 9.0));
  EXPECT_NO_THROW(check_admissible(good, 1.0, 9.0));
  const auto outside = message([] { check_admissible(Parameters::of(0.5, 0.36), 1.0, 9.0); });
  EXPECT_NE(outside.find("0.16 < alpha < 0.284444444"), std::string::npos) << outside;
  const auto low = message([] { check_admissible(Parameters::of(0.2, 0.04), 1.0, 9.0); });
  EXPECT_NE(low.find("beta above 0.25"), std::string::npos) << low;
  EXPECT_NE(message([] { check_admissible(Parameters::of(0.2, 1.1), 1.0, 9.0); }), "no error");
  EXPECT_NE(message([] { heavy_ball_sharp_bound(Parameters::of(0.5, 0.36), 1.0, 9.0, 3); }),
            "no error");
}

TEST(Checks, RefuseNumbersThatCannotBe) {
  const MatrixNumbers good{1.0, 4.0, 9.0, 3, 1.0};
  EXPECT_NO_THROW(check(good));
  const auto with = [&](auto change) {
    MatrixNumbers n = good;
    change(n);
    return message([&] { check(n); });
  };
  EXPECT_NE(with([](auto& n) { n.lambda_max = 0.5; }).find("kappa is below 1"), std::string::npos);
  EXPECT_NE(with([](auto& n) { n.lambda_min = 0.0; }).find("strongly convex"), std::string::npos);
  EXPECT_NE(with([](auto& n) { n.frobenius2 = 3.0; }), "no error");
  EXPECT_NE(with([](auto& n) { n.cols = 0; }), "no error");
  EXPECT_NE(with([](auto& n) { n.eta = 0.9; }), "no error");
  EXPECT_NE(with([](auto& n) { n.eta = std::nan(""); }), "no error");
  for (const double gamma : {-0.1, 1.0, 2.0})
    EXPECT_NE(message([&] { heavy_ball_theory(good, gamma); }), "no error");
  EXPECT_NE(message([&] { heavy_ball_theory(good, 0.1, 1.0); }), "no error");
  EXPECT_NE(message([&] { corollary_constant(2.0); }), "no error");
  EXPECT_NE(message([&] { best_corollary(1.0); }), "no error");
  EXPECT_NE(message([&] { recipe(0.0, 1.0, 1.0, 1.0); }), "no error");
  EXPECT_NE(message([&] {
              rate_for_batch(worst_case_model(1.0, 2.0, 3.0), Method::heavy_ball, {}, 0.0);
            }),
            "no error");
}

void expect_no_nan(const HeavyBallTheory& t) {
  for (const double v :
       {t.parameters.alpha, t.parameters.beta(), t.M, t.M_bound, t.theta, t.delta, t.rate_theorem,
        t.batch_theorem, t.batch_theorem_bound, t.batch_vector, t.batch_certified_stability}) {
    EXPECT_FALSE(std::isnan(v));
    EXPECT_GE(v, 0.0);
  }
}

TEST(HeavyBallTheory, IsFiniteOrInfiniteAtEveryEdge) {
  for (const double kappa : {1.0, 1.0 + 1e-12, 1.5, 2.0, 7.0, 8.0, 1e6, 1e12}) {
    for (const double gamma : {0.0, 1e-3, 0.999}) {
      for (const Index d : {1, 2, 100}) {
        const double F2 = d == 1 ? kappa : 1.0 + kappa;
        const MatrixNumbers n{1.0, kappa, F2, d, 1.0};
        const HeavyBallTheory t = heavy_ball_theory(n, gamma);
        expect_no_nan(t);
        EXPECT_EQ(std::isinf(t.M), gamma == 0.0);
        EXPECT_EQ(t.batch_heuristic.has_value(), kappa >= 2.0);
        EXPECT_EQ(t.k_star.has_value(), kappa > 7.39);
        const NesterovTheory nag = nesterov_theory(n, gamma);
        for (const double v : {nag.M, nag.M_bound, nag.rate, nag.rate_theorem, nag.batch_theorem})
          EXPECT_FALSE(std::isnan(v)) << kappa << ' ' << gamma;
      }
    }
  }
}

// M at kappa = 1e12 from its own limit: M → 4/√(…), tau → 2.
TEST(HeavyBallTheory, KeepsItsDigitsForLargeKappa) {
  for (const double kappa : {1e6, 1e9, 1e12}) {
    const long double l = std::sqrt(1.0L - 1e-3L), L = std::sqrt(kappa + 1e-3L);
    const long double a = 4.0L / ((L + l) * (L + l)), root = (L - l) / (L + l), b = root * root;
    const long double tau = a * (kappa - 1.0L) / 2.0L;
    const long double disc = a * a * 1e-3L * (1e-3L + kappa - 1.0L);
    const long double M = (1 + b + std::sqrt((1 - b) * (1 - b) + tau * tau)) / std::sqrt(disc);
    const HeavyBallTheory t = heavy_ball_theory({1.0, kappa, 2.0 * kappa, 100, 1.0}, 1e-3);
    expect_relative(t.M, static_cast<double>(M), 1e-12, "M");
    expect_relative(t.parameters.gap, static_cast<double>(2 * l / (L + l)), 1e-15, "gap");
    const long double r = root * std::exp(1.0L / std::sqrt(static_cast<long double>(kappa)));
    const long double vec = 4 * a * a * b * 2 * kappa * kappa / (disc * (r * r - b));
    expect_relative(t.batch_vector, static_cast<double>(vec), 1e-9, "B_vec");
  }
}

}  // namespace
}  // namespace polyak::theory
