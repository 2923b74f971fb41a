#include "linalg/column_qr.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "eigen_views.hpp"
#include "support/decompositions.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// What W says of the chosen columns, against Eigen's QR of them alone. Rotations and
// reflections are backward stable, each adds an error of some eps‖M‖; the columns of these
// normal matrices are well conditioned.
void expect_right(const ColumnQr& qr, const Matrix& M, const Vector& s, const Vector& x) {
  const std::vector<Index> chosen(qr.order().begin(), qr.order().begin() + qr.count());
  Vector rest = s;
  for (Index j = 0; j < M.cols(); ++j)
    if (!qr.holds(j)) rest -= M.col(j) * x(j);
  const Matrix F = M(Eigen::all, chosen);
  const Vector expected = F.cols() > 0 ? Vector(qr_solution(F, rest)) : Vector(0);
  const Vector left = rest - F * expected;
  std::vector<double> t, z, g, distance;
  qr.reduce({x.data(), static_cast<std::size_t>(x.size())}, t);
  qr.solve(t, z);
  qr.gradients(t, g, distance);
  const double allowed = 1e3 * eps * (M.norm() + s.norm());
  for (Index p = 0; p < qr.count(); ++p) EXPECT_NEAR(z[to_size(p)], expected(p), allowed);
  for (Index j = 0; j < M.cols(); ++j) {
    if (qr.holds(j)) continue;
    EXPECT_NEAR(g[to_size(j)], -M.col(j).dot(left), allowed * M.norm());
    const Vector own = M.col(j);
    const Vector off = F.cols() > 0 ? Vector(own - F * qr_solution(F, own)) : own;
    EXPECT_NEAR(distance[to_size(j)], off.norm(), allowed);
  }
}

TEST(ColumnQr, FollowsColumnsThatJoinAndLeave) {
  for (Index rows : {9, 20}) {
    const Matrix M = normal(rows, 9, 1);
    const Vector s = normal(rows, 1, 2), x = normal(9, 1, 3);
    ColumnQr qr(view(M), {s.data(), static_cast<std::size_t>(rows)});
    expect_right(qr, M, s, x);
    for (Index step = 0; step < 60; ++step) {
      const Index j = (step * step + 3 * step) % 9;
      if (qr.holds(j))
        qr.remove(j);
      else
        qr.add(j);
      EXPECT_EQ(qr.changes(), step + 1);
      expect_right(qr, M, s, x);
    }
    std::vector<Index> dependent;
    EXPECT_TRUE(qr.factor(std::vector<Index>{7, 2, 4}, std::vector<double>(9, 1e-12), dependent));
    EXPECT_EQ(qr.changes(), 0);
    expect_right(qr, M, s, x);
  }
}

TEST(ColumnQr, NamesChosenColumnsThatDependOnOthers) {
  Matrix M = normal(12, 5, 4);
  M.col(3) = M.col(1) - 2.0 * M.col(0);
  const Vector s = normal(12, 1, 5);
  ColumnQr qr(view(M), {s.data(), 12});
  std::vector<Index> dependent;
  EXPECT_FALSE(qr.factor(std::vector<Index>{0, 3, 1}, std::vector<double>(5, 1e-12), dependent));
  EXPECT_EQ(dependent, std::vector<Index>{1});
  EXPECT_FALSE(qr.factor(std::vector<Index>{0, 3}, std::vector<double>(5, 1e-12), dependent));
  EXPECT_TRUE(dependent.empty());
}

}  // namespace
}  // namespace polyak::test
