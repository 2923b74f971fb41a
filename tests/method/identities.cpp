// Identities between methods, to the bit where they are exact.

#include "matrix/products.hpp"
#include "solve/run/setup.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(minibatch_heavy_ball, equals_minibatch_sgd_at_zero_momentum_bit_for_bit) {
  const Problem problem(consistent());
  SolveOptions heavy = ample("minibatch-hbm");
  heavy.momentum = 0.0;
  heavy.step_size = 0.05;
  heavy.batch_size = 50;
  SolveOptions plain = ample("minibatch-sgd");
  plain.step_size = 0.05;
  plain.batch_size = 50;
  SolveOptions nesterov = heavy;
  nesterov.method = "minibatch-nag";
  for (SolveOptions* o : {&heavy, &plain, &nesterov}) {
    o->tol = 0.0;
    o->max_iterations = 100;
  }
  const Rows expected = solution(solve(problem, plain));
  EXPECT_EQ(expected, solution(solve(problem, heavy)));
  EXPECT_EQ(expected, solution(solve(problem, nesterov)));
}

// Rounding only: each of the n terms is the same, summed in another order; the
// sum of n·d products of size |a||r||a| carries an error below (n + d)u of it.
TEST(sampled_gradient, of_every_row_once_is_the_full_gradient) {
  const Rows A = random(700, 9, 31), b = random(700, 2, 32), x = random(2, 9, 33);
  const MatrixPtr matrix_ = matrix(A);
  ThreadTeam team(2);
  Products products(*matrix_, {}, {}, team);
  std::vector<Index> rows(700);
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<double> weights(700, 1.0);
  Rows sampled(2, 9), full(2, 9);
  double residual2[2];
  const ConstView xs{x.data(), 2, 9, 9}, bs{b.data(), 700, 2, 2};
  products.gradient(rows, weights, xs, bs, {sampled.data(), 2, 9, 9});
  products.full_gradient(xs, bs, {full.data(), 2, 9, 9}, residual2);
  const double size = A.cwiseAbs().sum() * (A * x.transpose() - b).cwiseAbs().maxCoeff();
  EXPECT_LE((sampled - full).cwiseAbs().maxCoeff(), 709 * 1.2e-16 * size);
}

// Each step must leave the sampled equation satisfied to rounding:
// |a'x - b| <= (d + 4)u(|a||x| + |b|).
TEST(randomized_kaczmarz, lands_on_each_sampled_equation) {
  const Rows A = random(60, 7, 41), b = random(60, 1, 42);
  const Problem problem(data(A, b));
  for (const char* name : {"rk", "sgd"}) {
    SolveSetup setup(problem, with_method(name));
    auto method = setup.start(0);
    const Random draws(0, stream::sampling);
    for (Index k = 0; k < 200; ++k) {
      method->advance(k, k + 1);
      const Index row = setup.plan().sampler->find(draws.bits(static_cast<std::uint64_t>(k), 0));
      const Eigen::VectorXd x =
          Eigen::Map<const Eigen::VectorXd>(setup.backend().host_copy(method->x()).data(), 7);
      const double size = A.row(row).norm() * x.norm() + std::abs(b(row));
      EXPECT_LE(std::abs(A.row(row) * x - b(row)), 11 * 1.2e-16 * 2 * size) << name << " " << k;
    }
  }
}

TEST(sgd, equals_minibatch_sgd_of_batch_one_to_rounding) {
  const Problem problem(consistent());
  SolveOptions one = with_method("sgd"), batch = with_method("minibatch-sgd");
  batch.batch_size = 1;
  one.tol = batch.tol = 0.0;
  one.max_iterations = batch.max_iterations = 50;
  one.step_size = batch.step_size = 1.0 / 44.0;
  const Rows a = solution(solve(problem, one)), b = solution(solve(problem, batch));
  EXPECT_LE((a - b).norm(), 1e-13 * a.norm());
}

TEST(kaczmarz_family, ignores_rows_of_zeros_to_the_bit) {
  const Rows A = random(50, 4, 51), b = A * random(4, 1, 52);
  Rows A0 = Rows::Zero(80, 4), b0 = Rows::Zero(80, 1);
  for (Index i = 0; i < 50; ++i) {
    A0.row(i + (i / 2) + 3) = A.row(i);
    b0.row(i + (i / 2) + 3) = b.row(i);
  }
  for (const char* name : {"rk", "sgd", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"}) {
    for (const char* law : {"row-norm", "uniform", "mixed"}) {
      SolveOptions o = ample(name);
      if (std::string(name) == "rk" && std::string(law) != "row-norm") continue;
      o.sampling = law;
      if (std::string(name) != "rk") o.step_size = 0.01;
      if (std::string(name).ends_with("hbm") || std::string(name).ends_with("nag"))
        o.momentum = 0.4;
      o.tol = 0.0;
      o.max_iterations = 300;
      const Report report = solve(Problem(data(A0, b0)), o);
      EXPECT_EQ(report.zero_rows, 30);
      EXPECT_EQ(solution(report), solution(solve(Problem(data(A, b)), o))) << name << " " << law;
    }
  }
}

TEST(accelerated_kaczmarz, has_liu_and_wright_as_a_special_case) {
  // Unit rows, nu = n, mu = lambda_min/n: compared with the recursion as they
  // print it (one vector y, errata E11's source), written out here.
  Rows A = random(40, 5, 61);
  A.rowwise().normalize();
  const Rows b = A * random(5, 1, 62);
  const Problem problem(data(A, b));
  SolveSetup setup(problem, with_method("ark"));
  const double n = 40.0, lambda = 0.1;
  Parameters parameters = setup.plan().parameters;
  parameters.nu = n;
  parameters.mu = lambda / n;
  auto method = make_method("ark", Setting{problem, setup.facts(), setup.backend(), setup.team(),
                                           setup.plan().sampler.get(), parameters});
  const auto gamma_after = [&](double g) {
    const double p = 1.0 / n - lambda / n * g * g;
    return 0.5 * (p + std::sqrt(p * p + 4.0 * g * g));
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(5), y = x;
  double gamma = gamma_after(0.0);
  const Random draws(0, stream::sampling);
  for (Index k = 0; k < 100; ++k) {
    const Index row = setup.plan().sampler->find(draws.bits(static_cast<std::uint64_t>(k), 0));
    const Eigen::VectorXd g = A.row(row).transpose() * (A.row(row).dot(y) - b(row));
    const double next = gamma_after(gamma);
    const double a = (n - next * lambda) / (next * (n * n - lambda));
    const Eigen::VectorXd old_x = x;
    x = y - g;
    y = (1.0 - n * gamma) * a * old_x + (1.0 - a + n * a * gamma) * y - (1.0 - a + a * gamma) * g;
    gamma = next;
    method->advance(k, k + 1);
    const Eigen::VectorXd ours =
        Eigen::Map<const Eigen::VectorXd>(setup.backend().host_copy(method->x()).data(), 5);
    ASSERT_LE((ours - x).norm(), 1e-11 * (1.0 + x.norm())) << "step " << k;
  }
}

TEST(accelerated_kaczmarz, needs_fewer_rows_than_kaczmarz) {
  const Problem problem(consistent(2000, 30));
  SolveOptions ark = with_method("ark"), rk = with_method("rk");
  ark.tol = rk.tol = 1e-10;
  ark.measure_every = rk.measure_every = 0.05;
  EXPECT_LT(solve(problem, ark).row_products, solve(problem, rk).row_products);
}

TEST(sequences, that_are_constant_equal_constants) {
  const Problem problem(consistent());
  SolveOptions constant = ample("minibatch-hbm");
  constant.step_size = 0.05;
  constant.momentum = 0.3;
  constant.max_iterations = 40;
  constant.tol = 0.0;
  SolveOptions sequence = constant;
  sequence.step_size.reset();
  sequence.momentum.reset();
  sequence.step_sequence = [](Index) { return 0.05; };
  sequence.momentum_sequence = [](Index) { return 0.3; };
  EXPECT_EQ(solution(solve(problem, constant)), solution(solve(problem, sequence)));
}

TEST(sequences, are_followed_step_by_step) {
  const Rows A = random(30, 3, 71), b = random(30, 1, 72);
  const auto alpha = [](Index k) { return 0.02 / static_cast<double>(k + 1); };
  const auto beta = [](Index k) { return 0.5 - 0.01 * static_cast<double>(k); };
  SolveOptions o = with_method("hbm");
  o.step_sequence = alpha;
  o.momentum_sequence = beta;
  o.max_iterations = 10;
  o.tol = 0.0;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(3), previous = x;
  for (Index k = 0; k < 10; ++k) {
    const Eigen::VectorXd next =
        x - alpha(k) * (A.transpose() * (A * x - b)) + beta(k) * (x - previous);
    previous = x;
    x = next;
  }
  Solver solver(std::make_shared<const Problem>(data(A, b)), o);
  (void)solver.run();
  const Eigen::VectorXd ours =
      Eigen::Map<const Eigen::VectorXd>(solver.state().vectors[0].data(), 3);
  EXPECT_LE((ours - x).norm(), 1e-13 * x.norm());
}

}  // namespace
}  // namespace polyak::test
