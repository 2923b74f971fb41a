// A in other variables, in every storage, against the same matrix written out.

#include "matrix/column_map.hpp"

#include "spectrum/gram.hpp"
#include "storages.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr Index n = 41, d = 11, c = 2;

struct Case {
  std::string name;
  ColumnMap map;
};

std::vector<Case> cases() {
  ColumnMap units = ColumnMap::plain(d, false), all = ColumnMap::plain(d, true);
  for (Index j = 0; j < d; ++j) {
    units.units[to_size(j)] = std::ldexp(1.0, static_cast<int>(5 * j) - 20);
    all.units[to_size(j)] = std::ldexp(1.0, 10 - static_cast<int>(2 * j));
    all.centre.push_back(0.25 * static_cast<double>(j - 3));
  }
  all.units[4] = 0.0;
  all.units.back() = 8.0;
  return {{"ones", ColumnMap::plain(d, true)}, {"units", units}, {"centred", all}};
}

Matrix written_out(const Matrix& A, const ColumnMap& map) {
  Matrix out(A.rows(), A.cols() + map.ones);
  out.leftCols(A.cols()) = A;
  if (map.ones) out.rightCols(1).setOnes();
  for (Index j = 0; j < std::ssize(map.centre); ++j) out.col(j).array() -= map.centre[to_size(j)];
  for (Index j = 0; j < out.cols(); ++j) out.col(j) *= map.units[to_size(j)];
  return out;
}

// check(name, mapped, T): T is what it should be.
template <class Check>
void for_each_mapped(Check check) {
  const Matrix A = sparse_normal(n, d, 11);
  for (const auto& [map_name, map] : cases()) {
    const Matrix T = written_out(A, map);
    for (const auto& [name, stored] : storages(A))
      check(map_name + ", " + name, *mapped_columns(stored, map), T);
  }
}

TEST(ColumnMaps, MultiplyAndAddLikeTheMatrixWrittenOut) {
  for_each_mapped([](const std::string& name, const RowMatrix& mapped, const Matrix& T) {
    const Index m = T.cols();
    ASSERT_EQ(mapped.cols(), m) << name;
    const Matrix x = normal(c, m, 12), y = normal(n, c, 13),
                 size_x = absolute(T) * absolute(x).transpose();
    Matrix product = Matrix::Zero(n, c), g = Matrix::Zero(c, m), rows = Matrix::Zero(n, m);
    mapped.multiply(0, n, view(x), view(product));
    mapped.add_transposed(0, n, view(y), view(g));
    mapped.copy_rows(0, n, view(rows));
    // Sparse rows take the centre off as one sum: its terms are larger than the rest.
    const Matrix more = Matrix::Constant(n, c, 64.0 * size_x.maxCoeff());
    expect_close(product, T * x.transpose(), 2 * m, more, name);
    expect_close(g, y.transpose() * T, 2 * n,
                 Matrix::Constant(c, m, 64.0 * (absolute(y).transpose() * absolute(T)).maxCoeff()),
                 name);
    EXPECT_EQ(rows, T) << name;
  });
}

TEST(ColumnMaps, GradientsOfListsAndRangesAgreeWithThePlainMatrix) {
  for_each_mapped([](const std::string& name, const RowMatrix& mapped, const Matrix& T) {
    const Index m = T.cols();
    const auto plain = dense_matrix(values<double>(T), n, m);
    const Matrix x = normal(c, m, 12), b = normal(n, c, 13);
    std::vector<Index> rows;
    std::vector<double> w;
    for (Index t = 0; t < 2 * n; ++t) {
      rows.push_back((7 * t + 3) % n);
      w.push_back(0.5 + static_cast<double>(t % 3));
    }
    Matrix got = Matrix::Zero(c, m), expected = got;
    mapped.gradient(rows, w, {0.5, 2.0}, view(x), view(b), view(got));
    plain->gradient(rows, w, {0.5, 2.0}, view(x), view(b), view(expected));
    EXPECT_LE((got - expected).norm(), 1e-13 * expected.norm()) << name;
    got.setZero();
    expected.setZero();
    std::vector<double> r2(c, 0.0), r2_expected(c, 0.0);
    mapped.range_gradient(3, n, {}, {1.0, 1.0}, view(x), view(b), view(got), r2);
    plain->range_gradient(3, n, {}, {1.0, 1.0}, view(x), view(b), view(expected), r2_expected);
    EXPECT_LE((got - expected).norm(), 1e-13 * expected.norm()) << name;
    for (std::size_t k = 0; k < r2.size(); ++k)
      EXPECT_NEAR(r2[k], r2_expected[k], 1e-12 * r2_expected[k]) << name;
  });
}

TEST(ColumnMaps, KaczmarzStepsAndNormsAgreeWithThePlainMatrix) {
  for_each_mapped([](const std::string& name, const RowMatrix& mapped, const Matrix& T) {
    const Index m = T.cols();
    const auto plain = dense_matrix(values<double>(T), n, m);
    const Matrix b = normal(n, c, 13);
    std::vector<double> rows(n), expected_rows(n), columns(to_size(m), 0.0),
        expected_columns = columns;
    mapped.norms(0, n, 1.0, rows, columns);
    plain->norms(0, n, 1.0, expected_rows, expected_columns);
    const double size = T.squaredNorm();
    for (Index i = 0; i < n; ++i)
      EXPECT_NEAR(rows[to_size(i)], expected_rows[to_size(i)], 1e-13 * size) << name;
    for (Index j = 0; j < m; ++j)
      EXPECT_NEAR(columns[to_size(j)], expected_columns[to_size(j)], 1e-13 * size) << name << j;
    std::vector<Index> order;
    std::vector<double> steps;
    for (Index i = 0; i < n; i += 2) {
      if (expected_rows[to_size(i)] == 0.0) continue;
      order.push_back(i);
      steps.push_back(0.5 / expected_rows[to_size(i)]);
    }
    Matrix x = normal(c, m, 14), x_expected = x;
    mapped.kaczmarz(order, steps, 1.0, view(b), view(x));
    plain->kaczmarz(order, steps, 1.0, view(b), view(x_expected));
    EXPECT_LE((x - x_expected).norm(), 1e-12 * x_expected.norm()) << name;
  });
}

TEST(ColumnMaps, WeightedColumnNormsLeaveRowsOfNoWeightOut) {
  for_each_mapped([](const std::string& name, const RowMatrix& mapped, const Matrix& T) {
    std::vector<double> w(n), got(to_size(T.cols()), 0.0);
    for (Index i = 0; i < n; ++i) w[to_size(i)] = static_cast<double>(i % 4);
    mapped.column_norms(0, n, w, 0.5, got);
    for (Index j = 0; j < T.cols(); ++j) {
      double expected = 0.0;
      for (Index i = 0; i < n; ++i) expected += w[to_size(i)] * 0.25 * T(i, j) * T(i, j);
      EXPECT_NEAR(got[to_size(j)], expected, 1e-13 * T.squaredNorm()) << name;
    }
  });
}

TEST(ColumnMaps, GramMatricesWithRightHandSidesAgree) {
  ThreadTeam team(2);
  const auto factor = [](Index i) { return 1.0 + 0.125 * static_cast<double>(i % 5); };
  for_each_mapped([&](const std::string& name, const RowMatrix& mapped, const Matrix& T) {
    const Matrix b = normal(n, c, 15);
    Matrix whole(n, T.cols() + c);
    whole << T, b;
    for (Index i = 0; i < n; ++i) whole.row(i) *= factor(i);
    const Matrix expected = whole.transpose() * whole;
    const std::vector<double> got = gram(mapped, factor, team, view(b));
    const Matrix H = Eigen::Map<const Matrix>(got.data(), expected.rows(), expected.cols());
    // Rounding of the centre: in units of the columns.
    for (Index i = 0; i < H.rows(); ++i)
      for (Index j = 0; j < H.cols(); ++j)
        EXPECT_NEAR(H(i, j), expected(i, j),
                    1e-12 * std::sqrt((1e-300 + expected(i, i)) * expected(j, j)) + 1e-12)
            << name;
  });
}

TEST(ColumnMaps, UserVariablesAndBackAreInverse) {
  const ColumnMap map = cases()[2].map;
  const Matrix x = normal(1, d + 1, 16);
  std::vector<double> z(d + 1), back(d + 1);
  map.from_user(x.data(), z.data());
  map.to_user(z.data(), x.data(), back.data());
  for (Index j = 0; j <= d; ++j)
    EXPECT_NEAR(back[to_size(j)], x(0, j), 1e-13 * (1.0 + std::abs(x(0, j))));
}

TEST(ColumnMaps, TheSameFitInBothVariables) {
  const Matrix A = sparse_normal(n, d, 11), x = normal(1, d + 1, 17);
  ColumnMap map = cases()[2].map;
  map.units[4] = 1.0;
  std::vector<double> z(d + 1);
  map.from_user(x.data(), z.data());
  const auto mapped = mapped_columns(dense_matrix(values<double>(A), n, d), map);
  Matrix fit = Matrix::Zero(n, 1);
  mapped->multiply(0, n, {z.data(), 1, d + 1, d + 1}, view(fit));
  const Matrix expected = (A * x.leftCols(d).transpose()).array() + x(0, d);
  EXPECT_LE((fit - expected).norm(), 1e-13 * expected.norm());
}

}  // namespace
}  // namespace polyak::test
