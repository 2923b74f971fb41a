// Every operation of the backend on the device. Operations on single elements have the bits of
// the cpu; sums agree with plain loops in long double within the roundings of their terms.

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/device_library.hpp"
#include "backend/host_backend.hpp"
#include "matrix/column_map.hpp"
#include "spectrum/facts.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;
using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct Case {
  std::string name;
  bool sparse = false, single = false, units = false, intercept = false, wide = false;
  Index d = 3;
  Scale scale = {};
};

template <class Value, class Column>
MatrixPtr ragged(const Rows& A) {
  Csr<Value, Column> csr;
  csr.cols = A.cols();
  csr.row_start.push_back(0);
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < A.cols(); ++j) {
      if ((i * 7 + j * 5 + i * j) % (1 + i % 9) != 0 || i % 11 == 3) continue;  // some are empty
      csr.columns.push_back(static_cast<Column>(j));
      csr.values.push_back(static_cast<Value>(A(i, j)));
    }
    csr.row_start.push_back(std::ssize(csr.values));
  }
  return csr_matrix(std::move(csr));
}

MatrixPtr stored(const Case& c, Index n) {
  Rows A = random(n, c.d, 5);
  A.row(n / 3).setZero();
  if (c.sparse && c.single) return ragged<float, Index>(A);
  if (c.sparse) return c.wide ? ragged<double, Index>(A) : ragged<double, std::int32_t>(A);
  return c.single ? to_single(matrix(A)) : matrix(A);
}

MatrixPtr in_variables(const Case& c, const MatrixPtr& A) {
  if (!c.units && !c.intercept) return A;
  ColumnMap map = ColumnMap::plain(A->cols(), c.intercept);
  for (std::size_t j = 0; c.units && j < map.units.size(); ++j)
    map.units[j] = std::ldexp(1.0, static_cast<int>(j % 5) - 2);
  if (c.intercept) map.centre.assign(to_size(A->cols()), 0.375);
  return mapped_columns(A, map);
}

class Operations : public testing::TestWithParam<Case> {
 protected:
  static constexpr Index n = 217, rhs = 2;

  Operations()
      : A(in_variables(GetParam(), stored(GetParam(), n))),
        d(A->cols()),
        b(random(n, rhs, 6)),
        weights(to_size(n)),
        lower(to_size(d), -0.4),
        upper(to_size(d), 0.7) {
    for (Index i = 0; i < n; ++i)
      weights[to_size(i)] = 0.25 + static_cast<double>(i % 7) + (i == 9 ? -0.25 : 0.0);
    const BackendProblem problem{
        *A, {b.data(), n, rhs, rhs}, weights, GetParam().scale, lower, upper, team};
    cpu = make_backend("cpu", problem);
    gpu = make_backend("cuda", problem);
    dense = Rows(n, d);
    A->copy_rows(0, n, {dense.data(), n, d, d});
  }

  static Block put(Backend& on, const Rows& values, Block::Kind kind) {
    const bool unknowns = kind == Block::Kind::unknowns;
    Block out = on.make(kind, unknowns ? values.rows() : values.cols());
    on.write({values.data(), values.rows(), values.cols(), values.cols()}, out);
    return out;
  }
  static Block unknowns(Backend& on, const Rows& v) { return put(on, v, Block::Kind::unknowns); }
  static Block equations(Backend& on, const Rows& v) { return put(on, v, Block::Kind::equations); }
  static Rows get(Backend& on, const Block& block) {
    const std::vector<double> v = on.host_copy(block);
    const bool is_unknowns = block.kind() == Block::Kind::unknowns;
    return Eigen::Map<const Rows>(v.data(), is_unknowns ? block.vectors() : block.length(),
                                  is_unknowns ? block.length() : block.vectors());
  }

  // On both devices, with the same bits.
  template <class Body>
  void expect_same(Body body) {
    EXPECT_EQ(body(*cpu), body(*gpu));
  }

  Long scaled() const { return dense.cast<long double>() * GetParam().scale.a; }
  // Residuals of listed rows at x (rhs × d): columns of the result are right-hand sides.
  Long residuals(const Rows& x, bool with_b = true) const {
    const Scale s = GetParam().scale;
    Long out = dense.cast<long double>() * x.transpose().cast<long double>();
    if (with_b) out -= b.cast<long double>();
    return out * (with_b ? s.b : s.a);
  }
  // Of absolute values: what the roundings of a residual are multiples of.
  Long sizes(const Rows& x, bool with_b = true) const {
    const Scale s = GetParam().scale;
    Long out = dense.cwiseAbs().cast<long double>() * x.cwiseAbs().transpose().cast<long double>();
    if (with_b) out += b.cwiseAbs().cast<long double>();
    return out * (with_b ? s.b : s.a);
  }

  // |found − exact| ≤ terms·u·size. A term meets d roundings in its dot product (with the centre,
  // 2d), one for each row that is added and for each partial sum, and few for weights.
  void expect_near(const Rows& found, const Long& exact, const Long& size, Index rows) const {
    const auto terms = static_cast<long double>(3 * d + rows + 600);
    for (Index k = 0; k < found.rows(); ++k)
      for (Index j = 0; j < found.cols(); ++j)
        ASSERT_LE(std::abs(found(k, j) - exact(k, j)), terms * u * size(k, j) + 1e-300L)
            << k << ", " << j << ": " << found(k, j);
  }

  MatrixPtr A;
  Index d;
  Rows b, dense;
  std::vector<double> weights, lower, upper;
  ThreadTeam team{1};
  std::unique_ptr<Backend> cpu, gpu;
};

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

// Only the rows are on the device, in the user's units; the norms are of the units in use.
TEST_P(Operations, norms_have_the_bits_of_the_cpu) {
  const MatrixPtr inner = stored(GetParam(), n), shown = in_variables(GetParam(), inner);
  for (const bool weighted : {false, true}) {
    ProblemData data;
    data.A = shown;
    data.b = Array({b.data(), n, rhs, rhs}, {});
    if (weighted) data.weights = weights;
    const Problem problem(data);
    const BackendProblem raw{*inner, problem.b(), problem.weights(), {}, {}, {}, team};
    const auto copied = copied_rows("cuda", raw);
    ASSERT_EQ(copied != nullptr, !GetParam().sparse);
    const MatrixFacts expected = gather_facts(problem, team),
                      found = gather_facts(problem, team, copied.get());
    EXPECT_EQ(expected.norms2, found.norms2);
    EXPECT_EQ(expected.column_norms, found.column_norms);
  }
}

// A backend that takes rows copied before has the bits of one that copies them itself.
TEST_P(Operations, rows_copied_before_are_those_copied_now) {
  const MatrixPtr inner = stored(GetParam(), n), shown = in_variables(GetParam(), inner);
  const BackendProblem raw{*inner, {b.data(), n, rhs, rhs}, weights, {}, lower, upper, team};
  const auto copied = copied_rows("cuda", raw);
  const auto again =
      make_backend("cuda", {*shown, raw.b, weights, GetParam().scale, lower, upper, team, copied});
  const Rows x = random(rhs, d, 8);
  std::vector<double> squares(to_size(rhs)), same(to_size(rhs));
  const Block g = gpu->make(Block::Kind::unknowns, rhs),
              h = again->make(Block::Kind::unknowns, rhs);
  gpu->full_gradient(unknowns(*gpu, x), g, squares, nullptr);
  again->full_gradient(unknowns(*again, x), h, same, nullptr);
  EXPECT_EQ(get(*gpu, g), get(*again, h));
  EXPECT_EQ(squares, same);
}

TEST_P(Operations, gram_matrices_are_near_plain_sums) {
  if (GetParam().sparse) {
    EXPECT_FALSE(gpu->row_sums()->gram(*A, 1.0, {}, false));
    return;
  }
  std::vector<double> own(to_size(n));
  for (Index i = 0; i < n; ++i) own[to_size(i)] = 0.5 + static_cast<double>(i % 3);
  const double scale = GetParam().scale.a;
  for (const bool with_b : {false, true})
    for (const std::vector<double>& w : {std::vector<double>(), own}) {
      const auto found = gpu->row_sums()->gram(*A, scale, w, with_b);
      ASSERT_TRUE(found);
      const Index width = d + (with_b ? rhs : 0);
      Long rows(n, width);
      for (Index i = 0; i < n; ++i) {
        const double weight = w.empty() ? weights[to_size(i)] : w[to_size(i)];
        const long double f = static_cast<long double>(scale) * sqrtl(weight);
        for (Index j = 0; j < width; ++j) rows(i, j) = f * (j < d ? dense(i, j) : b(i, j - d));
      }
      const Eigen::Map<const Rows> H(found->H.data(), width, width);
      EXPECT_EQ(H, H.transpose());
      // Each factor is rounded twice, each product and sum once. A few columns: long double is
      // slow.
      const long double bound = static_cast<long double>(found->additions + 5.0) * u;
      for (const Index j : {Index{0}, width / 2, d - 1, width - 1}) {
        const Long exact = rows.transpose() * rows.col(j),
                   size = rows.cwiseAbs().transpose() * rows.col(j).cwiseAbs();
        for (Index i = 0; i < width; ++i)
          ASSERT_LE(std::abs(H(i, j) - exact(i, 0)), bound * size(i, 0)) << i << ", " << j;
      }
      EXPECT_EQ(found->H, gpu->row_sums()->gram(*A, scale, w, with_b)->H);
    }
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

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Index d : {1, 2, 3, 31, 100, 1000, 4097}) {
    const std::string size = "d" + std::to_string(d);
    out.push_back({.name = "dense_" + size, .d = d});
    out.push_back({.name = "single_" + size, .single = true, .d = d});
    out.push_back({.name = "sparse_" + size, .sparse = true, .d = d});
    if (d > 1000) continue;
    out.push_back({.name = "sparse_single_" + size, .sparse = true, .single = true, .d = d});
    out.push_back({.name = "units_" + size, .units = true, .d = d});
    out.push_back({.name = "single_units_" + size, .single = true, .units = true, .d = d});
    out.push_back({.name = "intercept_" + size, .units = true, .intercept = true, .d = d});
    out.push_back({.name = "sparse_intercept_" + size,
                   .sparse = true,
                   .units = true,
                   .intercept = true,
                   .wide = true,
                   .d = d});
    out.push_back({.name = "scaled_" + size, .d = d, .scale = {0x1p-70, 0x1p50}});
    out.push_back(
        {.name = "sparse_scaled_" + size, .sparse = true, .d = d, .scale = {0x1p-70, 0x1p50}});
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Gpu, Operations, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// Several parts of the rows and several tiles, rows and columns that fill none of them.
TEST(GpuGram, of_many_rows_is_near_the_plain_sum) {
  for (const Index width : {33, 64, 65, 81, 101, 113, 129, 300}) {
    const Index n = 20011;
    const Rows A = random(n, width - 1, 7), b = random(n, 1, 8);
    const MatrixPtr matrix_of_A = matrix(A);
    ThreadTeam team(1);
    const auto gpu =
        make_backend("cuda", {*matrix_of_A, {b.data(), n, 1, 1}, {}, {}, {}, {}, team});
    const auto found = gpu->row_sums()->gram(*matrix_of_A, 1.0, {}, true);
    ASSERT_TRUE(found);
    Rows all(n, width);
    all << A, b;
    const Rows near = all.transpose() * all, size = all.cwiseAbs().transpose() * all.cwiseAbs();
    const Eigen::Map<const Rows> H(found->H.data(), width, width);
    const double bound = (found->additions + static_cast<double>(n) + 5.0) * u;
    EXPECT_LE(((H - near).cwiseAbs() - bound * size).maxCoeff(), 0.0) << width;
    for (int repeat = 0; repeat < 20; ++repeat)
      ASSERT_EQ(found->H, gpu->row_sums()->gram(*matrix_of_A, 1.0, {}, true)->H);
  }
}

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
