// The exact theory against the full Kronecker operator, for random matrices
// and probabilities.

#include "golden.hpp"
#include "random_problem.hpp"
#include "support/decompositions.hpp"

namespace polyak::theory {
namespace {

struct Setting {
  RandomProblem problem;
  Decomposed parts;
  Method method;
  Parameters p;
  double ridge = 0.0;

  Model model() const {
    Model out = exact_model(parts.eigenvalues, parts.eigenvectors,
                            noise_of_rows(rows_view(problem.A), span_of(problem.p)));
    out.ridge = ridge;
    return out;
  }
  Oracle oracle() const {
    return {problem.A, problem.p, p.alpha, p.beta(), ridge, method == Method::nesterov};
  }
  double floor() const {
    return contraction(method, p, parts.eigenvalues.front() + ridge,
                       parts.eigenvalues.back() + ridge);
  }
};

// Full rank, because the oracle also sees the directions that A does not.
Setting random_setting(std::uint64_t seed) {
  Dice dice(seed);
  const Index d = 1 + dice.index(4), n = d + 1 + dice.index(8);
  RandomProblem problem = random_problem(dice, static_cast<int>(seed % 6), n, d);
  Decomposed parts(problem.A, problem.p);
  const Method method = seed % 2 == 0 ? Method::heavy_ball : Method::nesterov;
  const double ridge = seed % 5 == 0 ? 0.3 * parts.eigenvalues.front() : 0.0;
  const double top = parts.eigenvalues.back() + ridge;
  const double share = dice.between(0.1, method == Method::nesterov ? 1.1 : 2.0);
  const Parameters p = Parameters::of(share / top, dice.between(0.0, 0.9));
  return {std::move(problem), std::move(parts), method, p, ridge};
}

std::string name_of(const Setting& s, std::uint64_t seed) {
  return s.problem.kind + ", " + s.problem.law + ", seed " + std::to_string(seed);
}

// rate² of an eigenvalue solver is good to about eps·‖map‖·(its conditioning).
TEST(ExactModel, HasTheRateOfTheKroneckerOperator) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const Setting s = random_setting(seed);
    if (s.parts.eigenvalues.size() != to_size(s.problem.A.cols())) continue;
    const Model model = s.model();
    for (const double batch : {1.0, 7.0, 300.0}) {
      const double rate = s.oracle().rate(batch);
      expect_relative(rate_for_batch(model, s.method, s.p, batch), rate, 1e-9,
                      name_of(s, seed) + ", B = " + std::to_string(batch));
      if (rate > s.floor() * (1.0 + 1e-3)) {
        expect_relative(batch_for_rate(model, s.method, s.p, rate), batch, 1e-9,
                        name_of(s, seed) + ", B(r)");
      }
    }
  }
}

TEST(ExactModel, HasTheTrajectoryOfTheKroneckerOperator) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Setting s = random_setting(seed);
    const Index d = s.problem.A.cols();
    if (s.parts.eigenvalues.size() != to_size(d)) continue;
    const Eigen::VectorXd e = Eigen::VectorXd::LinSpaced(d, 1.0, 2.0);
    Eigen::VectorXd z(2 * d);
    z << e, e;
    Eigen::VectorXd moment = Eigen::kroneckerProduct(z, z);
    const Eigen::MatrixXd map = s.oracle().second_moment_map(5.0);
    const Eigen::Map<const test::Rows> V(s.parts.eigenvectors.data(), d, d);
    const Eigen::VectorXd c = V * e;
    const auto got =
        mean_square_trajectory(s.model(), s.method, s.p, 5.0, {{c.data(), c.data() + d}}, 30);
    for (std::size_t k = 0; k <= 30; ++k, moment = map * moment) {
      const Eigen::Map<const Eigen::MatrixXd> zz(moment.data(), 2 * d, 2 * d);
      expect_relative(got[k], zz.topLeftCorner(d, d).trace(), 1e-9, name_of(s, seed));
    }
  }
}

// An inconsistent problem with a ridge: at its solution A'r = −ridge·x*. The oracle
// carries a 1 along, through which each row's own gradient at x* enters.
Eigen::MatrixXd affine_map(const Setting& s, const Eigen::VectorXd& r,
                           const Eigen::VectorXd& x_star, double batch) {
  const Oracle oracle = s.oracle();
  const Index d = oracle.d(), n = s.problem.A.rows();
  const auto extended = [&](const Eigen::MatrixXd& M, const Eigen::VectorXd& g) {
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(2 * d + 1, 2 * d + 1);
    Y.topLeftCorner(2 * d, 2 * d) = oracle.transition(M);
    Y.col(2 * d).head(d) = -oracle.alpha * (g + oracle.ridge * x_star);
    Y(2 * d, 2 * d) = 1.0;
    return Eigen::MatrixXd(Eigen::kroneckerProduct(Y, Y));
  };
  const test::Rows& A = s.problem.A;
  const Eigen::MatrixXd fixed = extended(A.transpose() * A, A.transpose() * r);
  Eigen::MatrixXd one = Eigen::MatrixXd::Zero(fixed.rows(), fixed.cols());
  for (Index i = 0; i < n; ++i) {
    const double p = s.problem.p(i);
    if (p > 0.0)
      one += p * extended(A.row(i).transpose() * A.row(i) / p, A.row(i).transpose() * r(i) / p);
  }
  return fixed + (one - fixed) / batch;
}

TEST(ExactModel, HasTheInconsistentTrajectoryOfTheKroneckerOperator) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Setting s = random_setting(seed);
    const Index n = s.problem.A.rows(), d = s.problem.A.cols();
    if (s.parts.eigenvalues.size() != to_size(d)) continue;
    Dice dice(seed + 2000);
    const Eigen::VectorXd b = dice.normals(n, 1), start = dice.normals(d, 1);
    const Eigen::MatrixXd H = s.problem.A.transpose() * s.problem.A;
    const Eigen::VectorXd x_star = test::spd_solution(H + s.ridge * Eigen::MatrixXd::Identity(d, d),
                                                      s.problem.A.transpose() * b);
    const Eigen::VectorXd r = s.problem.A * x_star - b;
    Model model =
        exact_model(s.parts.eigenvalues, s.parts.eigenvectors,
                    noise_of_rows(rows_view(s.problem.A), span_of(s.problem.p), span_of(r)));
    model.ridge = s.ridge;
    const Eigen::Map<const test::Rows> V(s.parts.eigenvectors.data(), d, d);
    const Eigen::VectorXd c = V * start;
    const auto got =
        mean_square_trajectory(model, s.method, s.p, 5.0, {{c.data(), c.data() + d}, r.norm()}, 20);
    Eigen::VectorXd z(2 * d + 1);
    z << start, start, 1.0;
    Eigen::VectorXd moment = Eigen::kroneckerProduct(z, z);
    const Eigen::MatrixXd map = affine_map(s, r, x_star, 5.0);
    for (std::size_t k = 0; k <= 20; ++k, moment = map * moment) {
      const Eigen::Map<const Eigen::MatrixXd> zz(moment.data(), 2 * d + 1, 2 * d + 1);
      expect_relative(got[k], zz.topLeftCorner(d, d).trace(), 1e-9, name_of(s, seed));
    }
  }
}

// The limit of an inconsistent run is where its trajectory ends.
TEST(ExactModel, HasTheHorizonWhereItsTrajectoryEnds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Setting s = random_setting(seed);
    const Index n = s.problem.A.rows(), d = s.problem.A.cols();
    if (s.ridge > 0.0 || s.parts.eigenvalues.size() != to_size(d)) continue;
    Dice dice(seed + 1000);
    Eigen::VectorXd r = dice.normals(n, 1);
    r -= s.problem.A * test::least_norm_solution(s.problem.A, r);
    Model model =
        exact_model(s.parts.eigenvalues, s.parts.eigenvectors,
                    noise_of_rows(rows_view(s.problem.A), span_of(s.problem.p), span_of(r)));
    const double batch = 2.0 * stability_threshold(model, s.method, s.p) + 1.0;
    const double rate = rate_for_batch(model, s.method, s.p, batch);
    if (rate > 0.995) continue;
    const std::vector<double> zero(to_size(d), 0.0);
    const auto run = mean_square_trajectory(model, s.method, s.p, batch, {zero, r.norm()}, 8000);
    expect_relative(horizon(model, s.method, s.p, batch, r.norm()), std::sqrt(run.back()), 1e-9,
                    name_of(s, seed));
  }
}

TEST(ExactModel, HasAnUpperBoundThatIsOneAndIsSharp) {
  int sharp = 0, count = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Setting s = random_setting(seed);
    const Model model = s.model();
    const double r = s.floor() + 0.5 * std::abs(1.0 - s.floor()) + 0.01;
    const double B = batch_for_rate(model, s.method, s.p, r);
    const double upper = upper_batch_for_rate(model, s.method, s.p, r);
    ASSERT_GE(upper, B * (1.0 - 1e-9)) << name_of(s, seed);
    ++count;
    sharp += upper <= B * (1.0 + 1e-4);
  }
  EXPECT_GT(sharp, count / 2);
}

TEST(ExactModel, OfOneColumnDrawnByNormHasNoNoise) {
  const test::Rows A{{1.0}, {2.0}, {-3.0}};
  const Eigen::VectorXd p = row_norm_law(A);
  const Decomposed parts(A, p);
  const Model model =
      exact_model(parts.eigenvalues, parts.eigenvectors, noise_of_rows(rows_view(A), span_of(p)));
  const Parameters best = heavy_ball_parameters(14.0, 14.0, 0.01);
  const double floor = contraction(Method::heavy_ball, best, 14.0, 14.0);
  EXPECT_NEAR(rate_for_batch(model, Method::heavy_ball, best, 1.0), floor, 1e-7);
  EXPECT_NEAR(stability_threshold(model, Method::heavy_ball, best), 0.0, 1e-12);
}

}  // namespace
}  // namespace polyak::theory
