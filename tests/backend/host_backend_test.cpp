// The operations of the host backend against their formulas, written out.

#include "backend/host_backend.hpp"

#include <limits>

#include "polyak/error.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

using Kind = Block::Kind;

class HostBackendTest : public testing::Test {
 protected:
  static constexpr Index n = 70, d = 5, c = 2;

  HostBackendTest()
      : A_(random(n, d, 1)),
        b_(random(n, c, 2)),
        matrix_(matrix(A_)),
        backend_({*matrix_, {b_.data(), n, c, c}, weights_, {2.0, 4.0}, lower_, upper_, team_}) {}

  Block block(Kind kind, const Rows& values) {
    Block out = backend_.make(kind, c);
    backend_.write({values.data(), values.rows(), values.cols(), values.cols()}, out);
    return out;
  }
  Rows host(const Block& block) {
    const bool unknowns = block.kind() == Kind::unknowns;
    Rows out(unknowns ? block.vectors() : block.length(),
             unknowns ? block.length() : block.vectors());
    backend_.read(block, {out.data(), out.rows(), out.cols(), out.cols()});
    return out;
  }
  static double error(const Rows& a, const Rows& b) { return (a - b).cwiseAbs().maxCoeff(); }

  Rows A_, b_;
  MatrixPtr matrix_;
  std::vector<double> weights_ = std::vector<double>(n, 0.25);
  std::vector<double> lower_ = std::vector<double>(d, -0.5), upper_ = std::vector<double>(d, 0.5);
  ThreadTeam team_{2};
  HostBackend backend_;
};

TEST_F(HostBackendTest, starts_blocks_at_zero_and_copies_them) {
  const Block x = backend_.make(Kind::unknowns, c), r = backend_.make(Kind::equations, c);
  EXPECT_EQ(host(x), Rows::Zero(c, d));
  EXPECT_EQ(host(r), Rows::Zero(n, c));
  const Rows values = random(c, d, 3);
  const Block y = block(Kind::unknowns, values);
  backend_.copy(y, x);
  EXPECT_EQ(host(x), values);
  EXPECT_EQ(host(x.vector(1)), values.row(1));
}

TEST_F(HostBackendTest, combines_vectors_with_one_scalar_each) {
  for (Kind kind : {Kind::unknowns, Kind::equations}) {
    const bool unknowns = kind == Kind::unknowns;
    const Rows u = unknowns ? random(c, d, 4) : random(n, c, 4);
    const Rows v = unknowns ? random(c, d, 5) : random(n, c, 5);
    const Block x = block(kind, u), y = block(kind, v);
    const std::vector<double> alpha = {2.0, -3.0}, beta = {0.5, 0.0};
    backend_.axpby(alpha, x, beta, y);
    const Rows out = host(y);
    for (Index k = 0; k < c; ++k) {
      const double a = alpha[to_size(k)], b = beta[to_size(k)];
      const Rows expected =
          unknowns ? Rows(a * u.row(k) + b * v.row(k)) : Rows(a * u.col(k) + b * v.col(k));
      EXPECT_EQ(unknowns ? Rows(out.row(k)) : Rows(out.col(k)), expected);
    }
    std::vector<double> products(c);
    backend_.dot(x, x, products);
    for (Index k = 0; k < c; ++k)
      EXPECT_NEAR(products[to_size(k)], unknowns ? u.row(k).squaredNorm() : u.col(k).squaredNorm(),
                  1e-12);
    backend_.divide(std::vector<double>{2.0, 0.0}, x);
    EXPECT_EQ(host(x).data()[0], u.data()[0] / 2.0);
    EXPECT_EQ(host(x)(c - 1, c - 1), unknowns ? u(c - 1, c - 1) : u(c - 1, c - 1));
  }
}

TEST_F(HostBackendTest, does_not_read_what_a_zero_factor_overwrites) {
  Rows bad = Rows::Constant(c, d, std::nan(""));
  const Rows u = random(c, d, 6);
  const Block x = block(Kind::unknowns, u), y = block(Kind::unknowns, bad);
  backend_.axpby(1.0, x, 0.0, y);
  EXPECT_EQ(host(y), u);
}

TEST_F(HostBackendTest, fuses_accelerated_row_steps_without_changing_a_bit) {
  const std::vector<Index> rows = {3, 0, 3, 2};
  const std::vector<AcceleratedStep> steps = {
      {0.3, 0.0, 0.0, 1.0}, {0.2, 0.25, 0.75, 1.5}, {0.1, 0.5, 0.0, 2.0}, {0.7, 0.9, 0.1, 0.3}};
  const Block x = block(Kind::unknowns, random(c, d, 7)),
              v = block(Kind::unknowns, random(c, d, 8));
  const Block y = block(Kind::unknowns, host(x)), w = block(Kind::unknowns, host(v));
  backend_.accelerated_row_steps(rows, steps, 0.5, x, v);
  backend_.Backend::accelerated_row_steps(rows, steps, 0.5, y, w);
  EXPECT_EQ(host(x), host(y));
  EXPECT_EQ(host(v), host(w));
}

TEST_F(HostBackendTest, finds_the_largest_value_and_keeps_bounds) {
  Rows u = 3.0 * random(c, d, 7);
  u(1, 2) = -40.0;
  const Block x = block(Kind::unknowns, u);
  EXPECT_EQ(backend_.max_abs(x), 40.0);
  backend_.clamp(x);
  EXPECT_EQ(host(x), Rows(u.cwiseMax(-0.5).cwiseMin(0.5)));
  const Index unknowns[] = {2, 4};
  backend_.set(x, unknowns, 9.0);
  EXPECT_EQ(host(x)(0, 2), 9.0);
  EXPECT_EQ(host(x)(1, 4), 9.0);
  u(0, 0) = std::nan("");
  EXPECT_EQ(backend_.max_abs(block(Kind::unknowns, u)), std::numeric_limits<double>::infinity());
}

TEST_F(HostBackendTest, adds_a_diagonal_and_steps_in_a_range_of_columns) {
  const Rows u = random(c, d, 8), v = random(c, d, 9), w = random(c, d, 10), D = random(1, d, 11);
  const Block x = block(Kind::unknowns, u), y = block(Kind::unknowns, v);
  Block diagonal = backend_.make(Kind::unknowns, 1);
  backend_.write({D.data(), 1, d, d}, diagonal);
  backend_.add_diagonal(2.0, diagonal, x, y);
  EXPECT_LE(error(host(y), v + u * (2.0 * D.row(0)).asDiagonal()), 1e-15);
  const Block g = block(Kind::unknowns, w), p = block(Kind::unknowns, v);
  backend_.heavy_ball_step(0.1, 0.9, x, g, p, {1, 3});
  Rows expected = v;
  expected.middleCols(1, 2) = (u - 0.1 * w + 0.9 * (u - v)).middleCols(1, 2);
  EXPECT_LE(error(host(p), expected), 1e-15);
  EXPECT_EQ(host(p).col(0), v.col(0));
}

// Ã = 2A, b̃ = 4b, W = I/4, unit = 1/2.
TEST_F(HostBackendTest, multiplies_with_the_scaled_and_weighted_matrix) {
  const Rows u = random(c, d, 12), r = random(n, c, 13);
  const Block x = block(Kind::unknowns, u), y = backend_.make(Kind::equations, c),
              g = backend_.make(Kind::unknowns, c), equations = block(Kind::equations, r);
  backend_.multiply(x, y);
  EXPECT_LE(error(host(y), 0.5 * 2.0 * A_ * u.transpose()), 1e-13);
  backend_.multiply_transposed(equations, g);
  EXPECT_LE(error(host(g), 0.5 * 2.0 * (A_.transpose() * r).transpose()), 1e-12);
  backend_.residual(x, y);
  EXPECT_LE(error(host(y), 0.5 * 4.0 * (b_ - A_ * u.transpose())), 1e-12);
  std::vector<double> residual2(c);
  backend_.full_gradient(x, g, residual2, nullptr);
  const Rows residual = 4.0 * (A_ * u.transpose() - b_);
  EXPECT_LE(error(host(g), 0.25 * 2.0 * (A_.transpose() * residual).transpose()), 1e-11);
  EXPECT_NEAR(residual2[1], 0.25 * residual.col(1).squaredNorm(), 1e-10);
  std::vector<double> curvature(c);
  backend_.normal_product(x, g, curvature);
  EXPECT_LE(error(host(g), 0.25 * 4.0 * u * A_.transpose() * A_), 1e-11);
  EXPECT_NEAR(curvature[0], 4.0 * 0.25 * (A_ * u.row(0).transpose()).squaredNorm(), 1e-11);
  EXPECT_EQ(host(x), u);
}

TEST(Devices, AreFoundByNameAndRefusedWithAList) {
  EXPECT_EQ(device_named("auto"), "cpu");
  EXPECT_EQ(device_named("cpu"), "cpu");
  try {
    device_named("tpu:7");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("tpu:7"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("cpu"), std::string::npos);
  }
}

// No machine has so many: without the library, a driver or a device the reason differs, not
// the kind of error.
TEST(Devices, CudaDevicesThatAreNotThereAreRefused) {
  try {
    device_named("cuda:999");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(error.parts().where, "device");
  }
}

TEST(Devices, AListHasTheCpuAndTheReasonWhyThereIsNoCuda) {
  const DeviceList list = list_devices();
  ASSERT_FALSE(list.devices.empty());
  EXPECT_EQ(list.devices.front().name, "cpu");
  EXPECT_EQ(list.devices.size() == 1, !list.no_cuda.empty());
}

}  // namespace
}  // namespace polyak::test
