#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "storages.hpp"

namespace polyak::test::row_matrix {
using namespace polyak::internal;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Shape {
  Index rows, cols, columns;  // columns: right-hand sides
};

// Every storage against Eigen, on one random problem per shape.
class RowMatrices : public ::testing::TestWithParam<Shape> {
 protected:
  Index n = GetParam().rows, d = GetParam().cols, c = GetParam().columns;
  Matrix A = sparse_normal(n, d, 11), x = normal(c, d, 12), b = normal(n, c, 13);
  Matrix start = normal(c, d, 14);  // what g holds before
  Index steps = n + d + 10;         // roundings behind an entry of a gradient

  Matrix rhs() const { return (A * x.transpose() - b).eval(); }
  Matrix rhs_size() const { return absolute(A) * absolute(x).transpose() + absolute(b); }
};

TEST_P(RowMatrices, KnowTheirSizes) {
  for (const auto& [name, stored] : storages(A)) {
    EXPECT_EQ(stored->rows(), n) << name;
    EXPECT_EQ(stored->cols(), d) << name;
    const bool dense = name.find("csr") == std::string::npos;
    EXPECT_EQ(stored->nonzeros(), dense ? n * d : (A.array() != 0.0).count()) << name;
    EXPECT_GE(stored->bytes(), 4.0 * static_cast<double>(stored->nonzeros())) << name;
    EXPECT_EQ(stored->kind().find(name.find("float") == std::string::npos ? "single" : "double"),
              std::string::npos)
        << name << ": " << stored->kind();
  }
}

TEST_P(RowMatrices, AddTheGradientOfAListOfRows) {
  const Index count = n == 0 ? 0 : 2 * n + 1;
  std::vector<Index> rows(to_size(count));
  for (Index t = 0; t < count; ++t) rows[to_size(t)] = (7 * t + 3) % n;  // repeats, any order
  const Matrix w = normal(1, count, 15);
  const Matrix r = rhs(), r_size = rhs_size(), A_size = absolute(A);
  Matrix expected = start, size = absolute(start);
  for (Index t = 0; t < count; ++t) {
    const Index i = rows[to_size(t)];
    expected += 2.0 * w(0, t) * r.row(i).transpose() * A.row(i);
    size += 2.0 * std::abs(w(0, t)) * r_size.row(i).transpose() * A_size.row(i);
  }
  for (const auto& [name, stored] : storages(A)) {
    Padded g(start), px(x), pb(b);
    stored->gradient(rows, {w.data(), to_size(count)}, {0.25, 8.0}, px.view(), pb.view(), g.view());
    expect_close(g.matrix(), expected, steps + count, size, name);
    EXPECT_TRUE(g.intact()) << name;
  }
}

TEST_P(RowMatrices, AddTheGradientOfARangeAndItsResidual) {
  const Index first = n / 3, last = n - n / 4, m = last - first;
  const Matrix w = absolute(normal(m, 1, 16));
  const Scale scale{0.25, 8.0};
  for (const bool weighted : {false, true}) {
    const Matrix weights = weighted ? w : Matrix(Matrix::Ones(m, 1));
    const Matrix W = weights.col(0).asDiagonal();
    const Matrix r = scale.b * rhs().middleRows(first, m), part = A.middleRows(first, m);
    const Matrix r_size = scale.b * rhs_size().middleRows(first, m);
    const Matrix expected = start + scale.a * r.transpose() * W * part;
    const Matrix size = absolute(start) + scale.a * r_size.transpose() * W * absolute(part);
    const Matrix residual2 = (W * r.cwiseAbs2()).colwise().sum();
    const Matrix residual2_size = (W * r_size.cwiseAbs2()).colwise().sum();
    for (const auto& [name, stored] : storages(A)) {
      Padded g(start), px(x), pb(b);
      Matrix sums = Matrix::Constant(1, c, 3.0);
      stored->range_gradient(
          first, last,
          weighted ? std::span<const double>(w.data(), to_size(m)) : std::span<const double>{},
          scale, px.view(), pb.view(), g.view(), {sums.data(), to_size(c)});
      expect_close(g.matrix(), expected, steps, size, name);
      expect_close(sums, residual2.array() + 3.0, 2 * steps, residual2_size.array() + 3.0, name);
      EXPECT_TRUE(g.intact()) << name;
    }
  }
}

TEST_P(RowMatrices, MultiplyARangeOfRows) {
  const Index first = n / 3, m = n - n / 4 - first;
  const Matrix expected = A.middleRows(first, m) * x.transpose();
  const Matrix size = absolute(A).middleRows(first, m) * absolute(x).transpose();
  for (const auto& [name, stored] : storages(A)) {
    Padded y(Matrix::Constant(m, c, nan)), px(x);
    stored->multiply(first, first + m, px.view(), y.view());
    expect_close(y.matrix(), expected, d + 4, size, name);
    EXPECT_TRUE(y.intact()) << name;
  }
}

TEST_P(RowMatrices, AddTheTransposedProductOfARangeOfRows) {
  const Index first = n / 3, m = n - n / 4 - first;
  const Matrix y = normal(m, c, 17), part = A.middleRows(first, m);
  const Matrix expected = start + y.transpose() * part;
  const Matrix size = absolute(start) + absolute(y).transpose() * absolute(part);
  for (const auto& [name, stored] : storages(A)) {
    Padded g(start), py(y);
    stored->add_transposed(first, first + m, py.view(), g.view());
    expect_close(g.matrix(), expected, m + 4, size, name);
    EXPECT_TRUE(g.intact()) << name;
  }
}

// Steps of 1/‖a‖² only shorten errors made before: they add up, no more.
TEST_P(RowMatrices, StepThroughRowsEachSeeingTheLast) {
  std::vector<Index> rows;
  std::vector<double> steps_of;
  const double scale = 0.5;
  for (Index t = 0; t < 2 * n; ++t) {
    const double norm2 = (scale * A.row((5 * t + 2) % n)).squaredNorm();
    if (norm2 == 0.0) continue;
    rows.push_back((5 * t + 2) % n);
    steps_of.push_back(1.0 / norm2);
  }
  Matrix expected = start;
  double size = start.norm();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto a = A.row(rows[t]);
    const Matrix r = expected * a.transpose() - b.row(rows[t]).transpose();
    expected -= steps_of[t] * scale * scale * r * a;
    size += expected.norm() + (start.norm() + b.norm() / a.norm());
  }
  for (const auto& [name, stored] : storages(A)) {
    Padded px(start), pb(b);
    stored->kaczmarz(rows, steps_of, scale, pb.view(), px.view());
    expect_close(px.matrix(), expected, d + 10, Matrix::Constant(c, d, size), name);
    EXPECT_TRUE(px.intact()) << name;
  }
}

// Sparse rows look only at what they touch: the bits are those of looking at all of x.
TEST_P(RowMatrices, StepWithinBounds) {
  std::vector<Index> rows;
  for (Index t = 0; t < n; ++t) rows.push_back((5 * t + 2) % n);
  const std::vector<double> sizes(rows.size(), 0.05);
  const std::vector<double> lower(to_size(d), -0.1), upper(to_size(d), 0.2);
  for (const auto& [name, stored] : storages(A)) {
    Padded all(start.cwiseMax(-0.1).cwiseMin(0.2)), touched(start.cwiseMax(-0.1).cwiseMin(0.2));
    Padded pb(b);
    stored->RowMatrix::kaczmarz_within(rows, sizes, 0.5, pb.view(), lower, upper, all.view());
    stored->kaczmarz_within(rows, sizes, 0.5, pb.view(), lower, upper, touched.view());
    EXPECT_EQ(all.matrix(), touched.matrix()) << name;
    EXPECT_TRUE(touched.intact()) << name;
  }
}

TEST_P(RowMatrices, TellTheSquaredNormsOfRowsAndColumns) {
  const Index first = n / 3, m = n - n / 4 - first;
  const double scale = 4.0;
  const Matrix squares = (scale * A.middleRows(first, m)).cwiseAbs2();
  const Matrix rows = squares.rowwise().sum(), columns = squares.colwise().sum();
  for (const auto& [name, stored] : storages(A)) {
    Matrix r = Matrix::Constant(m, 1, nan), col = Matrix::Constant(1, d, 2.0), alone = r;
    stored->norms(first, first + m, scale, {r.data(), to_size(m)}, {col.data(), to_size(d)});
    expect_close(r, rows, d + 4, rows, name);
    expect_close(col, columns.array() + 2.0, m + 4, columns.array() + 2.0, name);
    stored->norms(first, first + m, scale, {alone.data(), to_size(m)}, {});
    EXPECT_TRUE((alone.array() == r.array()).all()) << name;
  }
}

TEST_P(RowMatrices, TellTheirLargestEntryAndCopyTheirRows) {
  const Index first = n / 3, m = n - n / 4 - first;
  const Matrix part = A.middleRows(first, m);
  for (const auto& [name, stored] : storages(A)) {
    EXPECT_EQ(stored->max_abs(first, first + m), part.size() ? part.cwiseAbs().maxCoeff() : 0.0);
    Padded out(Matrix::Constant(m, d, nan));
    stored->copy_rows(first, first + m, out.view());
    EXPECT_TRUE((out.matrix().array() == part.array()).all()) << name;
    EXPECT_TRUE(out.intact()) << name;
  }
}

// What the same values give must not depend on where they are stored: dense
// storages agree to the bit, and so do sparse ones.
TEST_P(RowMatrices, GiveTheSameBitsInEveryStorageOfTheirKind) {
  std::vector<Matrix> dense, sparse;
  for (const auto& [name, stored] : storages(A)) {
    Matrix g = start, r2 = Matrix::Zero(1, c);
    stored->range_gradient(0, n, {}, {}, view(x), view(b), view(g), {r2.data(), to_size(c)});
    (name.find("csr") == std::string::npos ? dense : sparse).push_back(g);
  }
  for (const auto* kind : {&dense, &sparse})
    for (const Matrix& g : *kind) EXPECT_TRUE((g.array() == kind->front().array()).all());
}

std::vector<Shape> shapes() {
  std::vector<Shape> out = {{40, 17, 1}, {100, 33, 3}, {33, 100, 2}};
  for (Index n : {0, 1, 2, 3, 5})
    for (Index d : {0, 1, 2, 3, 5}) out.push_back({n, d, 1 + (n + d) % 3});
  return out;
}
INSTANTIATE_TEST_SUITE_P(Shapes, RowMatrices, ::testing::ValuesIn(shapes()), [](const auto& shape) {
  return std::to_string(shape.param.rows) + "x" + std::to_string(shape.param.cols) + "with" +
         std::to_string(shape.param.columns);
});

TEST(RowMatrix, TouchesOnlyTheRowsItIsAskedFor) {
  Matrix A = normal(7, 4, 1), b = normal(7, 1, 2);
  for (Index i : {0, 1, 5, 6}) A.row(i).setConstant(nan), b.row(i).setConstant(nan);
  const Matrix x = normal(1, 4, 3);
  for (const auto& [name, stored] : storages(A)) {
    Matrix g = Matrix::Zero(1, 4), y(3, 1), out(3, 4), norms(3, 1), r2 = Matrix::Zero(1, 1);
    const std::vector<Index> rows = {4, 2};
    stored->gradient(rows, std::vector<double>{1.0, 2.0}, {}, view(x), view(b), view(g));
    stored->range_gradient(2, 5, {}, {}, view(x), view(b), view(g), {r2.data(), 1});
    stored->multiply(2, 5, view(x), view(y));
    stored->add_transposed(2, 5, view(y), view(g));
    stored->copy_rows(2, 5, view(out));
    stored->norms(2, 5, 1.0, {norms.data(), 3}, {});
    EXPECT_TRUE(g.allFinite() && y.allFinite() && out.allFinite() && norms.allFinite()) << name;
    EXPECT_TRUE(std::isfinite(stored->max_abs(2, 5))) << name;
    EXPECT_TRUE(std::isnan(stored->max_abs(2, 6))) << name;
  }
}

TEST(RowMatrix, LandsOnARowWhoseSquaredNormIsNoNumber) {
  for (const double size : {1e200, 1e-200}) {
    const Matrix A = size * (Matrix(1, 3) << 1.0, 2.0, -2.0).finished();
    const Matrix b = A * Matrix::Constant(3, 1, 5.0);
    const auto stored = dense_matrix(values<double>(A), 1, 3);
    const double scale = std::ldexp(1.0, -std::ilogb(size));
    double norm2 = 0.0;
    stored->norms(0, 1, scale, {&norm2, 1}, {});
    Matrix x = Matrix::Zero(1, 3);
    const Index row = 0;
    const double step = 1.0 / norm2;
    stored->kaczmarz({&row, 1}, {&step, 1}, scale, view(b), view(x));
    // a·x = b to the rounding of one step: some ten operations.
    EXPECT_NEAR((A * x.transpose())(0) / b(0), 1.0, 20 * eps);
  }
}

}  // namespace
}  // namespace polyak::test::row_matrix
