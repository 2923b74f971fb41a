#pragma once

// Random matrices of the kinds that theory must survive, with sampling laws,
// all a function of one seed.

#include <cmath>
#include <random>
#include <string>

#include "kronecker.hpp"
#include "support/decompositions.hpp"

namespace polyak::theory {

/// Numbers with the same bits everywhere, unlike std's distributions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : setup_(seed) {}
  double unit() { return static_cast<double>(setup_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  Index index(Index count) { return static_cast<Index>(unit() * static_cast<double>(count)); }
  double normal() {
    return std::sqrt(-2.0 * std::log(1.0 - unit())) * std::cos(6.283185307179586 * unit());
  }
  test::Rows normals(Index rows, Index cols) {
    test::Rows out(rows, cols);
    for (double& v : out.reshaped()) v = normal();
    return out;
  }

 private:
  std::mt19937_64 setup_;
};

struct RandomProblem {
  std::string kind, law;
  test::Rows A;
  Eigen::VectorXd p;
};

namespace random_detail {

inline test::Rows gaussian(Dice& dice, Index n, Index d) { return dice.normals(n, d); }

/// Columns of very different size.
inline test::Rows scaled(Dice& dice, Index n, Index d) {
  test::Rows A = dice.normals(n, d);
  for (Index j = 0; j < d; ++j) A.col(j) *= dice.log_between(1e-2, 1.0);
  return A;
}

/// Rows near a few directions, of very different norm.
inline test::Rows coherent(Dice& dice, Index n, Index d) {
  const test::Rows centres = dice.normals(d, d);
  test::Rows A(n, d);
  for (Index i = 0; i < n; ++i)
    A.row(i) =
        dice.log_between(0.03, 3.0) * (centres.row(dice.index(d)) + 0.05 * dice.normals(1, d));
  return A;
}

inline test::Rows sparse(Dice& dice, Index n, Index d) {
  test::Rows A = test::Rows::Zero(n, d);
  for (Index i = 0; i < n; ++i) A(i, i < d ? i : dice.index(d)) = dice.normal() + 0.1;
  for (Index k = 0; k < n / 2; ++k) A(dice.index(n), dice.index(d)) = dice.normal();
  return A;
}

/// One column is nonzero in a single row, and large there.
inline test::Rows rare_feature(Dice& dice, Index n, Index d) {
  test::Rows A = dice.normals(n, d);
  A.col(0).setZero();
  A(dice.index(n), 0) = dice.log_between(0.3, 10.0);
  return A;
}

/// Multiples of an orthonormal basis: the worst case of the certificate.
inline test::Rows orthogonal(Dice& dice, Index n, Index d) {
  const test::Rows Q = test::orthonormal(dice.normals(d, d));
  test::Rows A(n, d);
  for (Index i = 0; i < n; ++i) A.row(i) = dice.log_between(0.05, 2.0) * Q.row(i % d);
  return A;
}

inline test::Rows rank_deficient(Dice& dice, Index n, Index d) {
  const Index rank = std::max<Index>(1, d - 1);
  return dice.normals(n, rank) * dice.normals(rank, d);
}

}  // namespace random_detail

inline constexpr int random_kinds = 7;

/// kind = 0 … 6; laws by turns: row-norm, uniform, mixed, arbitrary.
inline RandomProblem random_problem(Dice& dice, int kind, Index n, Index d) {
  using Maker = test::Rows (*)(Dice&, Index, Index);
  static const std::pair<std::string, Maker> makers[random_kinds] = {
      {"gaussian", random_detail::gaussian},
      {"scaled columns", random_detail::scaled},
      {"coherent", random_detail::coherent},
      {"sparse", random_detail::sparse},
      {"rare feature", random_detail::rare_feature},
      {"orthogonal rows", random_detail::orthogonal},
      {"rank deficient", random_detail::rank_deficient}};
  const auto& [name, make] = makers[kind % random_kinds];
  RandomProblem out{name, "", make(dice, n, d), {}};
  const Eigen::VectorXd norms = row_norm_law(out.A), same = uniform_law(out.A);
  switch (dice.index(4)) {
    case 0: out.law = "row-norm", out.p = norms; break;
    case 1: out.law = "uniform", out.p = same; break;
    case 2: out.law = "mixed", out.p = 0.5 * (norms + same); break;
    default:
      out.law = "arbitrary", out.p = same;
      for (double& v : out.p) v *= dice.log_between(0.1, 10.0);
      out.p /= out.p.sum();
  }
  return out;
}

}  // namespace polyak::theory
