#pragma once

// Sketched ends of the spectrum beside the true ones.

#include <gtest/gtest.h>

#include <cmath>

#include "problems.hpp"
#include "spectrum/extremes.hpp"

namespace polyak::test {
using namespace polyak::internal;

inline Extremes sketched(const Problem& problem, std::uint64_t seed, Index rows = 0,
                         int threads = 1) {
  ThreadTeam team(threads);
  return sketch_extremes(problem, gather_facts(problem, team), team, seed, rows);
}

struct Ends {
  double min, max;
};

inline Ends ends_of(const Matrix& A, Index rank) {
  const Vector values = squared_singular_values(A);
  return {values(values.size() - rank), values(values.size() - 1)};
}

// Eigen's singular values are off by some d·eps·sigma_max: what that is to
// lambda_min, whose kappa is at most 1e8 here.
constexpr double slack = 1e-9;

inline bool holds(const Range& range, double truth) {
  return range.low <= truth * (1.0 + slack) && truth * (1.0 - slack) <= range.high;
}

inline void expect_inside(const Extremes& got, const Ends& truth) {
  ASSERT_TRUE(got.lambda_min_range && got.lambda_max_range);
  EXPECT_TRUE(holds(*got.lambda_min_range, truth.min)) << got.lambda_min << " of " << truth.min;
  EXPECT_TRUE(holds(*got.lambda_max_range, truth.max)) << got.lambda_max << " of " << truth.max;
  EXPECT_EQ(got.lambda_max, got.lambda_max_range->high);
  EXPECT_GE(got.lambda_min, got.lambda_min_range->low);
  EXPECT_LE(got.lambda_min, got.lambda_min_range->high);
  EXPECT_FALSE(got.exact);
}

/// Columns of most matrices here.
constexpr Index d = 40;

inline Vector algebraic(double kappa, double rho) {
  return 1.0 + Vector::LinSpaced(d, 0.0, 1.0).array().pow(rho) * (kappa - 1.0);
}

inline Vector flat_but(double one) {
  Vector out = Vector::Ones(d);
  out(0) = one;
  return out;
}

}  // namespace polyak::test
