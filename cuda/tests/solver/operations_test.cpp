// Every operation of the backend on the device. Operations on single elements have the bits of
// the cpu; sums agree with plain loops in long double within the roundings of their terms.

#include "operations.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST_P(Operations, on_single_elements_have_the_bits_of_the_cpu) {
  const Rows x = random(3, d, 1), y = random(3, d, 2), D = random(1, d, 3);
  const Rows r = random(n, 3, 4), s = random(n, 3, 5);
  const std::vector<double> alpha{0.3, -1.7, 0.0}, beta{1.1, 0.0, -0.2};
  const ColumnRange all{0, d};
  expect_same([&](Backend& on) { return get(on, equations(on, r)); });
  expect_same([&](Backend& on) {
    const Block to = unknowns(on, y);
    on.axpby(alpha, unknowns(on, x), beta, to);
    on.divide(beta, to);
    on.add_diagonal(0.7, unknowns(on, D), unknowns(on, x), to);
    return get(on, to);
  });
  expect_same([&](Backend& on) {
    const Block to = equations(on, s);
    on.axpby(alpha, equations(on, r), beta, to);
    on.divide(alpha, to);
    return get(on, to);
  });
  expect_same([&](Backend& on) {
    const Block g = unknowns(on, x), to = unknowns(on, y), from = unknowns(on, x + y);
    on.gradient_step(0.3, g, to, all);
    on.heavy_ball_step(0.2, 0.9, from, g, to, all);
    on.extrapolate(0.8, from, to, all);
    on.copy(to.vector(1), to.vector(2));
    on.clamp(to);
    const Index last = d - 1;
    on.set(to, {&last, 1}, 7.0);
    return get(on, to);
  });
  Rows with_nan = x;
  with_nan(1, d / 2) = std::nan("");
  expect_same([&](Backend& on) { return on.max_abs(unknowns(on, x)); });
  expect_same([&](Backend& on) { return on.max_abs(unknowns(on, with_nan)); });
}

TEST_P(Operations, dot_products_are_near_plain_sums) {
  const Rows r = random(n, rhs, 4), s = random(n, rhs, 5);
  std::vector<double> found(to_size(rhs));
  gpu->dot(equations(*gpu, r), equations(*gpu, s), found);
  for (Index c = 0; c < rhs; ++c) {
    const Long product = r.col(c).cast<long double>().cwiseProduct(s.col(c).cast<long double>());
    EXPECT_NEAR(found[to_size(c)], static_cast<double>(product.sum()),
                static_cast<double>(n) * u * static_cast<double>(product.cwiseAbs().sum()));
  }
}

TEST_P(Operations, full_gradients_and_normal_products_are_near_plain_sums) {
  const Rows x = random(rhs, d, 8);
  const Eigen::VectorX<long double> w =
      Eigen::Map<const Eigen::VectorXd>(weights.data(), n).cast<long double>();
  for (const bool with_b : {true, false}) {
    const Block g = gpu->make(Block::Kind::unknowns, rhs);
    std::vector<double> squares(to_size(rhs));
    if (with_b)
      gpu->full_gradient(unknowns(*gpu, x), g, squares, nullptr);
    else
      gpu->normal_product(unknowns(*gpu, x), g, squares);
    const Long r = residuals(x, with_b), size = sizes(x, with_b);
    expect_near(get(*gpu, g), (scaled().transpose() * w.asDiagonal() * r).transpose(),
                (scaled().cwiseAbs().transpose() * w.asDiagonal() * size).transpose(), n);
    for (Index c = 0; c < rhs; ++c) {
      const long double exact = r.col(c).cwiseAbs2().dot(w), most = size.col(c).cwiseAbs2().dot(w);
      EXPECT_LE(std::abs(squares[to_size(c)] - exact),
                static_cast<long double>(6 * d + n + 600) * u * most);
    }
  }
}

TEST_P(Operations, gradients_of_batches_are_near_plain_sums) {
  const Rows x = random(2 * rhs, d, 8);
  for (const Index count : {Index{1}, Index{5}, Index{70}, Index{1200}}) {
    std::vector<Index> rows;
    std::vector<double> factors;
    for (Index t = 0; t < count; ++t) rows.push_back((t * 37 + t * t) % n);
    std::sort(rows.begin(), rows.end());
    for (const Index i : rows) factors.push_back(0.5 + static_cast<double>(i % 3));
    const std::vector<Batch> batches{{rows, factors}, {rows, factors}};
    const Block g = gpu->make(Block::Kind::unknowns, 2 * rhs);
    gpu->batch_gradient(batches, unknowns(*gpu, x), g, nullptr);
    for (Index k = 0; k < 2; ++k) {
      const Rows part = x.middleRows(k * rhs, rhs);
      const Long r = residuals(part), size = sizes(part);
      Long exact = Long::Zero(rhs, d), most = Long::Zero(rhs, d);
      for (std::size_t t = 0; t < rows.size(); ++t) {
        exact += factors[t] * r.row(rows[t]).transpose() * scaled().row(rows[t]);
        most += factors[t] * size.row(rows[t]).transpose() * scaled().row(rows[t]).cwiseAbs();
      }
      expect_near(get(*gpu, g).middleRows(k * rhs, rhs), exact, most, count);
    }
  }
}

TEST_P(Operations, products_and_residuals_are_near_plain_sums) {
  const Rows x = random(rhs, d, 8), y = random(n, rhs, 9);
  const Eigen::VectorX<long double> root =
      Eigen::Map<const Eigen::VectorXd>(weights.data(), n).cast<long double>().cwiseSqrt();
  const Block Ax = gpu->make(Block::Kind::equations, rhs), Aty = unknowns(*gpu, x);
  gpu->multiply(unknowns(*gpu, x), Ax);
  expect_near(get(*gpu, Ax), root.asDiagonal() * residuals(x, false),
              root.asDiagonal() * sizes(x, false), 1);
  gpu->residual(unknowns(*gpu, x), Ax);
  expect_near(get(*gpu, Ax), root.asDiagonal() * -residuals(x), root.asDiagonal() * sizes(x), 1);
  gpu->multiply_transposed(equations(*gpu, y), Aty);
  const Long exact = y.cast<long double>().transpose() * root.asDiagonal() * scaled();
  const Long size =
      y.cwiseAbs().cast<long double>().transpose() * root.asDiagonal() * scaled().cwiseAbs();
  // A centre is a term of rank one, whose sum is as large as all of y.
  const Long centre = (root.dot(y.cwiseAbs().rowwise().maxCoeff().cast<long double>()) *
                       scaled().cwiseAbs().colwise().maxCoeff())
                          .replicate(rhs, 1);
  expect_near(get(*gpu, Aty), exact, GetParam().intercept ? Long(size + centre) : size, n);
}

// A step is a projection, so that an error stays as large as it is; each adds d + 8 roundings of
// |a||x| + |b|, over ‖a‖.
TEST_P(Operations, row_steps_are_near_those_of_the_cpu) {
  Rows x = random(rhs, d, 8).cwiseMax(-0.4).cwiseMin(0.7);
  std::vector<Index> rows;
  std::vector<double> steps;
  const double a = GetParam().scale.a;
  double size = 1.0;
  for (Index t = 0; t < 60; ++t) {
    const Index i = (t * 31) % n;
    const double norm2 = dense.row(i).squaredNorm();
    if (norm2 == 0.0) continue;
    rows.push_back(i);
    steps.push_back(1.0 / norm2 / a / a);
    size = std::max(size, (dense.row(i).norm() * x.norm() + b.row(i).norm()) / std::sqrt(norm2));
  }
  const Block on_cpu = unknowns(*cpu, x), on_gpu = unknowns(*gpu, x);
  cpu->row_steps(rows, steps, on_cpu);
  gpu->row_steps(rows, steps, on_gpu);
  const double bound = 2.0 * 60.0 * static_cast<double>(2 * d + 8) * u * 2.0 * size;
  EXPECT_LE((get(*cpu, on_cpu) - get(*gpu, on_gpu)).norm(), bound);
}

TEST_P(Operations, have_the_same_bits_twenty_times) {
  const Rows x = random(rhs, d, 8), y = random(n, rhs, 9);
  Rows first;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Block g = gpu->make(Block::Kind::unknowns, rhs),
                h = gpu->make(Block::Kind::unknowns, rhs);
    std::vector<double> squares(to_size(rhs));
    gpu->full_gradient(unknowns(*gpu, x), g, squares, nullptr);
    gpu->multiply_transposed(equations(*gpu, y), h);
    Rows all(2, rhs * d + rhs);
    const Rows found = get(*gpu, g), transposed = get(*gpu, h);
    std::memset(static_cast<void*>(all.data()), 0, sizeof(double) * to_size(all.size()));
    std::copy_n(found.data(), found.size(), all.data());
    std::copy_n(squares.data(), rhs, all.data() + found.size());
    std::copy_n(transposed.data(), transposed.size(), all.data() + all.cols());
    if (repeat == 0) first = all;
    ASSERT_EQ(all, first);
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, Operations, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(GpuDevice, refuses_a_problem_that_does_not_fit) {
  device::Problem* made = nullptr;
  device::Layout layout{};
  layout.n = Index{1} << 33;
  layout.d = layout.stored_columns = 1000;
  layout.right_hand_sides = 1;
  layout.scale_a = layout.scale_b = 1.0;
  const device::Failure* failure = cuda_library().make(0, layout, &made);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->code, static_cast<int>(ErrorCode::out_of_memory));
  EXPECT_NE(std::string(failure->found).find("free"), std::string::npos);
}

TEST(GpuDevice, refuses_a_number_that_is_not_there) {
  for (const char* name : {"cuda:99", "cuda:-1", "cuda:", "cuda:0x", "CUDA"}) {
    try {
      device_named(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    }
  }
  EXPECT_EQ(device_named("cuda"), "cuda:0");
}

}  // namespace
}  // namespace polyak::test
