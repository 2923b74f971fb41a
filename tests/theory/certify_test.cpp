// No certified number is ever violated: random matrices, laws, parameters and
// batches against exact second moments. POLYAK_CERTIFY_CASES asks for more
// cases than the default, POLYAK_CERTIFY_FIRST for others.

#include <cstdlib>

#include "golden.hpp"
#include "random_problem.hpp"
#include "spectrum/extremes.hpp"
#include "support/decompositions.hpp"

namespace polyak::theory {
using namespace polyak::internal;

namespace {

constexpr double rounding = 1e-8;  // of searches and eigenvalues, near equality

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// One matrix with its law, its exact theory and a residual.
struct Case {
  Dice dice;
  RandomProblem problem;
  Decomposed parts;
  Eigen::VectorXd r;  // A'r = 0
  Model exact, worst, spread;
  MatrixNumbers numbers;

  explicit Case(std::uint64_t seed)
      : dice(seed),
        problem(make(dice, static_cast<int>(seed % random_kinds))),
        parts(problem.A, problem.p) {
    r = dice.normals(problem.A.rows(), 1);
    for (int twice = 0; twice < 2; ++twice)
      r -= problem.A * test::least_norm_solution(problem.A, r);
    exact = exact_model(parts.eigenvalues, parts.eigenvectors,
                        noise_of_rows(rows_view(problem.A), span_of(problem.p), span_of(r)));
    numbers = {parts.eigenvalues.front(), parts.eigenvalues.back(), parts.frobenius2,
               problem.A.cols(), parts.eta};
    worst = worst_case_model(parts.eigenvalues, numbers.energy());
    spread = spread_model(parts.eigenvalues, parts.S);
  }

  static RandomProblem make(Dice& dice, int kind) {
    const Index d = 1 + dice.index(6), n = d + 1 + dice.index(10);
    return random_problem(dice, kind, n, d);
  }

  double kappa() const { return numbers.kappa(); }
  double floor(Method m, const Parameters& p) const {
    return contraction(m, p, numbers.lambda_min, numbers.lambda_max);
  }

  // Of many kinds, stable with exact gradients.
  Parameters parameters(Method method) {
    const double l = numbers.lambda_min, L = numbers.lambda_max;
    const double batch = dice.log_between(0.1, 1e4);
    const double top = method == Method::nesterov ? 1.0 : 2.0;
    switch (dice.index(4)) {
      case 0: {
        Parameters p = recipe(l, L, numbers.energy(), batch, dice.unit() < 0.5 ? 0.3 : 0.5);
        if (method == Method::nesterov) p.alpha *= 0.3;
        return p;
      }
      case 1:
        return method == Method::heavy_ball
                   ? heavy_ball_parameters(l, L, dice.log_between(1e-4, 0.9))
                   : nesterov_parameters(l, L, dice.log_between(1e-4, 0.9));
      case 2: return Parameters::of(dice.between(0.01, 1.0) * top / L, 0.0);
      default: return Parameters::of(dice.log_between(1e-3, 0.99) * top / L, dice.unit());
    }
  }
};

class Certified : public testing::Test {
 protected:
  template <class Check>
  void for_cases(Check check) {
    const auto first = from_environment("POLYAK_CERTIFY_FIRST", 0);
    const auto count = from_environment("POLYAK_CERTIFY_CASES", 1001);
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      Case c(seed);
      SCOPED_TRACE(c.problem.kind + ", " + c.problem.law + ", seed " + std::to_string(seed));
      check(c);
    }
  }
};

// A floor under what `certified` may be; both may be infinite.
void expect_covers(double certified, double truth, const std::string& what,
                   double absolute = 1e-12) {
  EXPECT_FALSE(std::isnan(certified)) << what;
  EXPECT_GE(certified, truth * (1.0 - rounding) - absolute) << what;
}
// Batches count rows; where there is no noise at all, rounding asks for 1e-10.
void expect_batch_covers(double certified, double truth, const std::string& what) {
  expect_covers(certified, truth, what, 1e-7);
}

TEST_F(Certified, BatchesReachTheirRate) {
  for_cases([](Case& c) {
    for (const Method method : {Method::heavy_ball, Method::nesterov}) {
      const Parameters p = c.parameters(method);
      const double floor = c.floor(method, p);
      for (const double r : {floor + c.dice.unit() * std::abs(1.0 - floor), 1.0, 1.1}) {
        const double truth = batch_for_rate(c.exact, method, p, r);
        const double worst = batch_for_rate(c.worst, method, p, r);
        const double spread = batch_for_rate(c.spread, method, p, r);
        expect_batch_covers(worst, spread, "B_cert over B_certS");
        if (std::isinf(truth)) continue;
        expect_batch_covers(spread, truth, "B_certS");
        expect_batch_covers(upper_batch_for_rate(c.exact, method, p, r), truth, "upper bound");
        const double e_h = c.spread.energy;
        expect_relative(c.exact.energy, e_h, 1e-9 + 1e-14 * c.kappa(), "eta_H");
        EXPECT_LE(e_h, c.numbers.energy() * (1.0 + rounding));
        expect_batch_covers(
            batch_for_rate(worst_case_model(c.parts.eigenvalues, e_h), method, p, r), truth,
            "B_cert with eta_H");
        expect_batch_covers(
            truth, batch_for_rate(diag_model(c.parts.eigenvalues, c.parts.K), method, p, r),
            "exact over diag");
      }
    }
  });
}

// The two ends, even when they are only bounds, and a ridge.
TEST_F(Certified, BatchesFromTheEndsOfTheSpectrumReachTheirRate) {
  for_cases([](Case& c) {
    for (const Method method : {Method::heavy_ball, Method::nesterov}) {
      const Parameters p = c.parameters(method);
      Model exact = c.exact;
      Model ends = worst_case_model(c.numbers.lambda_min * c.dice.between(0.5, 1.0),
                                    c.numbers.lambda_max * c.dice.between(1.0, 1.2),
                                    c.numbers.energy() * c.dice.between(1.0, 1.5));
      exact.ridge = ends.ridge = c.dice.unit() < 0.5 ? 0.0 : c.dice.log_between(0.01, 1.0);
      for (const double r : {c.dice.unit(), 0.5 + 0.5 * c.dice.unit(), 1.0, 1.3})
        expect_batch_covers(batch_for_rate(ends, method, p, r), batch_for_rate(exact, method, p, r),
                            "ends, r = " + std::to_string(r));
      const double batch = c.dice.log_between(1.0, 1e4);
      expect_covers(rate_for_batch(ends, method, p, batch), rate_for_batch(exact, method, p, batch),
                    "rate from ends");
    }
  });
}

TEST_F(Certified, RatesAreNotExceeded) {
  for_cases([](Case& c) {
    const Method method = c.dice.unit() < 0.7 ? Method::heavy_ball : Method::nesterov;
    const Parameters p = c.parameters(method);
    const double batch = c.dice.log_between(1.0, 1e4);
    const double truth = rate_for_batch(c.exact, method, p, batch);
    expect_covers(rate_for_batch(c.worst, method, p, batch), truth, "worst case");
    expect_covers(rate_for_batch(c.spread, method, p, batch), truth, "spread");
  });
}

TEST_F(Certified, StabilityNumberBelowOneIsStable) {
  for_cases([](Case& c) {
    const Parameters p = c.parameters(Method::heavy_ball);
    const double needed = stability_number(p, c.numbers.lambda_max, c.numbers.energy(), 1.0);
    expect_batch_covers(needed, stability_threshold(c.exact, Method::heavy_ball, p), "q");
  });
}

// lambda_min is only a number put in; upper bounds stand for the rest.
TEST_F(Certified, RecipeIsStableForEveryBatchAndEveryLambdaMin) {
  for_cases([](Case& c) {
    const double L = c.numbers.lambda_max * c.dice.between(1.0, 1.5);
    const double E = c.numbers.energy() * c.dice.between(1.0, 1.5);
    const double l = std::min(L, c.numbers.lambda_min * c.dice.log_between(1e-6, 1e3));
    const double batch = c.dice.log_between(0.01, 1e6);
    const Parameters plain = recipe(l, L, E, batch), safe = recipe(l, L, E, batch, 0.5);
    const double rho = batch * std::sqrt(L * l) / E;
    EXPECT_LE(stability_number(plain, L, E, batch),
              0.5 * std::sqrt((rho + 1.0) / (rho + 0.3)) * (1.0 + rounding));
    EXPECT_LE(stability_number(plain, L, E, batch), 0.913);
    EXPECT_LE(stability_number(safe, L, E, batch), 0.7072);
    for (const Parameters& p : {plain, safe}) {
      EXPECT_LT(stability_threshold(c.exact, Method::heavy_ball, p), batch);
      EXPECT_GT(c.floor(Method::heavy_ball, recipe(c.numbers.lambda_min, c.numbers.lambda_max,
                                                   c.numbers.energy(), batch)),
                recipe(c.numbers.lambda_min, c.numbers.lambda_max, c.numbers.energy(), batch).root);
    }
  });
}

// Of as many Lanczos steps as the dice say: from one, which knows next to
// nothing, to more than there are eigenvalues.
TEST_F(Certified, RecipeIsStableWithLanczosEstimates) {
  ThreadTeam team(1);
  for_cases([&](Case& c) {
    const Index d = c.problem.A.cols();
    const Problem problem(test::data(c.problem.A, test::Rows::Ones(c.problem.A.rows(), 1)));
    const MatrixFacts facts = gather_facts(problem, team);
    const Extremes ends =
        lanczos_extremes(problem, facts, team, c.dice.index(1 << 30), 1 + c.dice.index(d + 2));
    const double unit = facts.scale.a * facts.scale.a;  // estimates are of A·scale.a
    EXPECT_GE(ends.lambda_max, c.numbers.lambda_max * unit * (1.0 - rounding));
    const double batch = c.dice.log_between(0.01, 1e6);
    const SafeRecipe chosen =
        safe_recipe(ends.lambda_min, ends.lambda_max, c.numbers.energy() * unit, batch);
    Parameters p = chosen.parameters;
    p.alpha *= unit;
    EXPECT_LE(chosen.stability_number, 0.92);
    EXPECT_LT(stability_threshold(c.exact, Method::heavy_ball, p), batch);
  });
}

std::vector<double> random_start(Case& c) {
  std::vector<double> e(c.parts.eigenvalues.size());
  for (double& v : e) v = c.dice.normal();
  return e;
}
double squared(const std::vector<double>& e) {
  double sum = 0.0;
  for (const double v : e) sum += v * v;
  return sum;
}

TEST_F(Certified, MeanSquareHoldsAtEveryStep) {
  for_cases([](Case& c) {
    const Parameters p = c.parameters(Method::heavy_ball);
    const double batch =
        batch_for_rate(c.worst, Method::heavy_ball, p, 1.0) * c.dice.log_between(0.5, 100.0);
    if (!std::isfinite(batch) || batch < 1e-3) return;  // no noise but rounding
    const auto start = random_start(c);
    const auto run = mean_square_trajectory(c.exact, Method::heavy_ball, p, batch, {start}, 60);
    const double floor = c.floor(Method::heavy_ball, p);
    const double r = floor + c.dice.unit() * (1.05 - floor);
    for (const Index k : {0, 1, 2, 5, 20, 60}) {
      const double truth = run[to_size(k)] / squared(start);
      expect_covers(certified_mean_square(c.worst, p, batch, k), truth, "best r");
      expect_covers(certified_mean_square(c.worst, p, batch, k, r), truth, "some r");
    }
  });
}

TEST_F(Certified, VectorBatchHoldsWithEtaEffToo) {
  for_cases([](Case& c) {
    const Parameters p = heavy_ball_parameters(c.numbers.lambda_min, c.numbers.lambda_max,
                                               c.dice.log_between(1e-3, 0.9));
    const double r = p.root + c.dice.unit() * (1.0 - p.root);
    MatrixNumbers n = c.numbers;
    const Eigen::Map<const test::Rows> S(c.parts.S.data(), std::ssize(c.parts.eigenvalues),
                                         std::ssize(c.parts.eigenvalues));
    n.eta = test::symmetric_eigen(S).values.maxCoeff() / (n.frobenius2 * n.lambda_max);
    const double batch = vector_batch(n, p, r);
    expect_batch_covers(vector_batch(c.numbers, p, r), batch, "eta over eta_eff");
    if (!std::isfinite(batch) || batch < 1e-3) return;  // no noise but rounding
    expect_batch_covers(batch, batch_for_rate(c.exact, Method::heavy_ball, p, r), "B_vec");
    const auto start = random_start(c);
    const auto run = mean_square_trajectory(c.exact, Method::heavy_ball, p, batch, {start}, 40);
    const double M = condition_number(p, n.lambda_min, n.lambda_max);
    for (std::size_t k = 1; k <= 40; ++k)
      expect_covers(2.0 * M * M * std::pow(r, 2.0 * static_cast<double>(k)) * squared(start),
                    run[k] + run[k - 1], "guarantee");
  });
}

TEST_F(Certified, TheoremIsFarOnTheSafeSide) {
  for_cases([](Case& c) {
    const HeavyBallTheory t = heavy_ball_theory(c.numbers, c.dice.log_between(1e-3, 0.9));
    expect_batch_covers(t.batch_vector,
                        batch_for_rate(c.exact, Method::heavy_ball, t.parameters, t.rate_theorem),
                        "vector");
    expect_batch_covers(t.batch_theorem, t.batch_vector, "theorem");
    expect_batch_covers(t.batch_theorem_bound, t.batch_theorem, "lemma");
    expect_batch_covers(t.batch_certified_stability,
                        stability_threshold(c.exact, Method::heavy_ball, t.parameters),
                        "stability");
  });
}

TEST_F(Certified, HorizonHoldsInTheLimitAndOnTheWay) {
  for_cases([](Case& c) {
    const Method method = c.dice.unit() < 0.7 ? Method::heavy_ball : Method::nesterov;
    const Parameters p = c.parameters(method);
    const double batch = stability_threshold(c.worst, method, p) * c.dice.log_between(0.5, 100.0);
    if (!std::isfinite(batch) || batch < 1e-3) return;  // no noise but rounding
    const double energy = c.numbers.energy() * c.r.squaredNorm();
    double own = 0.0;  // Σ p⁻¹ r²‖a‖²
    for (Index i = 0; i < c.r.size(); ++i) {
      if (c.problem.p(i) > 0.0)
        own += c.r(i) * c.r(i) * c.problem.A.row(i).squaredNorm() / c.problem.p(i);
    }
    const double truth = horizon(c.exact, method, p, batch, c.r.norm());
    const double bound = certified_horizon(c.worst, method, p, batch, own);
    expect_covers(certified_horizon(c.worst, method, p, batch, energy), bound, "eta");
    expect_covers(bound, truth, "horizon");
    if (!std::isfinite(bound)) return;
    const auto start = random_start(c);
    const auto noisy = mean_square_trajectory(c.exact, method, p, batch, {start, c.r.norm()}, 40);
    const auto clean = mean_square_trajectory(c.exact, method, p, batch, {start}, 40);
    for (std::size_t k = 0; k <= 40; ++k)
      expect_covers(std::sqrt(clean[k]) + bound, std::sqrt(noisy[k]), "on the way");
  });
}

}  // namespace
}  // namespace polyak::theory
