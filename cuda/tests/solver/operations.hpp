#pragma once

// A problem of every storage on the cpu and on the device, for the tests of operations.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/device_library.hpp"
#include "backend/host_backend.hpp"
#include "matrix/column_map.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

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

inline MatrixPtr stored(const Case& c, Index n) {
  Rows A = random(n, c.d, 5);
  A.row(n / 3).setZero();
  if (c.sparse && c.single) return ragged<float, Index>(A);
  if (c.sparse) return c.wide ? ragged<double, Index>(A) : ragged<double, std::int32_t>(A);
  return c.single ? to_single(matrix(A)) : matrix(A);
}

inline MatrixPtr in_variables(const Case& c, const MatrixPtr& A) {
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

inline std::vector<Case> cases() {
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

}  // namespace polyak::test
