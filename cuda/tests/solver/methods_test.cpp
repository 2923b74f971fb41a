// Every method on the device against the cpu.
//
// Bound of the difference after K iterations, to first order. A gradient on the device and one
// on the cpu differ by at most e = 2(d + n + 600)·u·‖|A|‖_F(‖|A||x|‖ + ‖b‖), the roundings of its
// terms. Stationary methods and projections have iteration matrices of norm 1 or little more, so
// that K iterations differ by at most K·alpha·e with alpha ≤ 2/sigma_min²; coefficients of Krylov
// methods add relative errors of the same size, times the condition squared. Both are covered by
//   ‖x_gpu − x_cpu‖ ≤ 4K·kappa²·(d + n + 600)·u·(‖x‖ + ‖b‖/sigma_min),  kappa = ‖A‖_F/sigma_min.

#include "polyak/methods.hpp"

#include <cstring>
#include <limits>

#include "solve/run/setup.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const MethodInfo& info : method_table()) out.push_back(info.name);
  return out;
}

class GpuMethod : public testing::TestWithParam<std::string> {
 protected:
  static constexpr Index iterations = 9;

  SolveOptions options(const std::string& device, Index limit) const {
    SolveOptions o = ample(GetParam());
    o.device = device;
    o.tol = 0.0;
    o.max_iterations = limit;
    return o;
  }
  bool heeds(unsigned trait) const { return (find_method(GetParam())->traits & trait) != 0; }

  // sigma_min and ‖A‖_F of the rows, weighted.
  static double bound(const Problem& problem) {
    const Index n = problem.rows(), d = problem.cols();
    Rows A(n, d);
    problem.A().copy_rows(0, n, {A.data(), n, d, d});
    const Eigen::VectorXd s = singular_values(A);
    const double smallest = s(s.size() - 1), kappa = A.norm() / smallest;
    const ConstView b = problem.b();
    const double b_norm = Eigen::Map<const Eigen::VectorXd>(b.data, b.size()).norm();
    return 4.0 * static_cast<double>(iterations) * kappa * kappa *
           static_cast<double>(d + n + 600) * u * 2.0 * b_norm / smallest;
  }

  void expect_near(const ProblemData& data) const {
    const Problem problem(data);
    const Report cpu = solve(problem, options("cpu", iterations));
    const Report gpu = solve(problem, options("cuda", iterations));
    EXPECT_EQ(cpu.used.device, "cpu");
    EXPECT_EQ(gpu.used.device->rfind("cuda:0, ", 0), 0u) << *gpu.used.device;
    EXPECT_LE((solution(cpu) - solution(gpu)).norm(), bound(problem)) << solution(gpu);
    // Others end, or compute their residual anew, where rounded numbers say so.
    if (find_method(GetParam())->sampled) {
      EXPECT_EQ(cpu.iterations, gpu.iterations);
      EXPECT_EQ(cpu.row_products, gpu.row_products);
    }
  }

  ProblemData with_everything(ProblemData more) const {
    const auto d = to_size(more.A->cols());
    more.weights = std::vector<double>(to_size(more.A->rows()), 0.5);
    for (std::size_t i = 0; i < more.weights.size(); i += 3) more.weights[i] = 2.0;
    if (heeds(trait::ridge)) more.ridge = 0.3;
    if (heeds(trait::bounds)) {
      more.lower = std::vector<double>(d, -0.05);
      more.upper = std::vector<double>(d, 0.05);
    }
    return more;
  }
};

TEST_P(GpuMethod, is_near_the_cpu_on_dense_rows) {
  for (const Index d : {1, 2, 3, 31, 100}) {
    SCOPED_TRACE(d);
    expect_near(consistent(4 * d + 200, d, 1, d == 1 ? 1.0 : 10.0));
  }
}

// Here the singular values are known: the largest is at most kappa = 2 times the smallest, and
// ‖A‖_F ≤ √d times the largest. As b = Ax, ‖b‖/sigma_min ≤ 2‖x‖.
TEST_P(GpuMethod, is_near_the_cpu_on_a_thousand_columns) {
  static const ProblemData made = consistent(1300, 1000, 1, 2.0);
  static const Problem problem(made);
  const Rows cpu = solution(solve(problem, options("cpu", iterations)));
  const Rows gpu = solution(solve(problem, options("cuda", iterations)));
  const ConstView x = made.reference.view();
  const double size = 3.0 * Eigen::Map<const Eigen::VectorXd>(x.data, x.size()).norm();
  const double kappa2 = 4.0 * 1000.0, roundings = 1000.0 + 1300.0 + 600.0;
  EXPECT_LE((cpu - gpu).norm(),
            4.0 * static_cast<double>(iterations) * kappa2 * roundings * u * size);
}

TEST_P(GpuMethod, is_near_the_cpu_with_weights_ridge_bounds_and_two_right_hand_sides) {
  const Rows A = random(120, 6, 3), b = random(120, 2, 4);
  expect_near(data(A, b));
  expect_near(with_everything(data(A, b)));
}

TEST_P(GpuMethod, is_near_the_cpu_in_single_precision_and_with_an_intercept) {
  Rows A = random(150, 5, 3);
  A.row(7).setZero();
  A.col(2) *= 64.0;  // columns are scaled
  const Rows b = random(150, 1, 4);
  ProblemData single = data(A, b), shifted = data(A, b);
  single.A = to_single(single.A);
  expect_near(single);
  if (GetParam() == "active-set" || GetParam() == "bounded-cg") return;
  shifted.intercept = true;
  const Problem problem(shifted);
  const Rows cpu = solution(solve(problem, options("cpu", iterations)));
  const Rows gpu = solution(solve(problem, options("cuda", iterations)));
  EXPECT_LE((cpu - gpu).norm(), 1e-9 * (1.0 + cpu.norm()));
}

TEST_P(GpuMethod, is_near_the_cpu_on_ragged_sparse_rows) {
  std::vector<Triplet> entries;
  const Rows values = random(400, 30, 3), b = random(400, 1, 5);
  for (Index i = 0; i < 400; ++i)
    for (Index j = 0; j < 30; ++j)
      if (i % 13 != 4 && (i * 7 + 3 * j) % (2 + i % 10) == 0)
        entries.push_back({i, j, values(i, j)});
  ProblemData sparse = data(values, b);
  sparse.A = csr_from_triplets(entries, 400, 30);
  expect_near(sparse);
  expect_near(with_everything(sparse));
}

TEST_P(GpuMethod, is_saved_on_one_device_and_continued_on_the_other) {
  const auto problem = std::make_shared<const Problem>(consistent(300, 8));
  const auto continued = [&](const std::string& first, const std::string& then) {
    Solver stopped(problem, options(first, 3)), rest(problem, options(then, 8));
    (void)stopped.run();
    rest.restore(stopped.state());
    (void)rest.run();
    return rest.state().vectors.front();
  };
  const std::vector<double> cpu = continued("cpu", "cpu"), gpu = continued("cuda", "cuda");
  const double limit = bound(*problem);
  const auto expect_close = [&](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], limit);
  };
  expect_close(cpu, gpu);
  expect_close(cpu, continued("cuda", "cpu"));
  expect_close(cpu, continued("cpu", "cuda"));
  // On one device the bits are those of a run without a stop.
  Solver straight(problem, options("cuda", 8));
  (void)straight.run();
  if (GetParam() != "direct" && GetParam() != "normal" && GetParam() != "active-set") {
    EXPECT_EQ(straight.state().vectors.front(), gpu);
  }
}

TEST_P(GpuMethod, has_the_same_bits_twenty_times) {
  const Problem problem(consistent(1000, 31));
  const Rows first = solution(solve(problem, options("cuda", iterations)));
  for (int repeat = 1; repeat < 20; ++repeat)
    ASSERT_EQ(solution(solve(problem, options("cuda", iterations))), first);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuMethod, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Both meet the tolerance, so that ‖A(x − x*)‖ ≤ tol(‖A‖_F‖x‖ + ‖b‖) for each.
TEST(GpuSolve, converges_where_the_cpu_does) {
  const ProblemData made = consistent(5000, 100, 3, 100.0);
  const Problem problem(made);
  for (const std::string& method : names()) {
    SCOPED_TRACE(method);
    if ((find_method(method)->traits & trait::bounds) != 0 && method == "active-set") continue;
    SolveOptions options = with_method(method);
    options.tol = 1e-8;
    options.max_passes = 3000;
    options.device = "cpu";
    const Report cpu = solve(problem, options);
    options.device = "cuda";
    const Report gpu = solve(problem, options);
    EXPECT_EQ(cpu.status, gpu.status);
    EXPECT_LE((solution(cpu) - solution(gpu)).norm(),
              2e-8 * 100.0 * 2.0 * solution(cpu).norm() * 10.0);
  }
}

TEST(GpuSolve, converges_by_itself_with_the_method_auto) {
  const Problem problem(consistent(3000, 50, 3, 30.0));
  SolveOptions options;
  options.device = "cuda";
  EXPECT_EQ(solve(problem, options).status, Status::converged);
}

// Minibatch methods draw the rows of the cpu: after one iteration from x = 0 with B = 1 the step
// is along the same row, for every iteration's first draw.
TEST(GpuSolve, draws_the_rows_of_the_cpu) {
  const Problem problem(consistent(5000, 20, 3));
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    SolveOptions options = with_method("minibatch-sgd");
    options.batch_size = 1;
    options.step_size = 0.01;
    options.tol = 0.0;
    options.max_iterations = 1;
    options.stream = stream;
    const Rows cpu = solution(solve(problem, options));
    options.device = "cuda";
    const Rows gpu = solution(solve(problem, options));
    ASSERT_LE((cpu - gpu).norm(), 1e-14 * cpu.norm()) << stream;
  }
}

}  // namespace
}  // namespace polyak::test
