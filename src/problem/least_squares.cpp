#include "problem/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/thread_team.hpp"
#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "linalg/svd.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/ranks.hpp"

namespace polyak::internal {
namespace {

// The problem in the scaled variables Ã = A·scale.a, b̃ = b·scale.b and
// x̃ = x·scale.b/scale.a: the objective times scale.b², so that the ridge
// becomes ridge·scale.a².
struct Scaled {
  const RowMatrix& A;
  ConstView b;
  std::span<const double> weights;
  Ridge ridge;
  Scale scale;

  // Entries so small that their squares underflow are set to zero. They change no digit of the
  // result, and arithmetic with the denormal numbers they cause is a hundred times slower.
  static double flush_tiny(double v) { return std::abs(v) < 0x1p-500 ? 0.0 : v; }

  double root_ridge(Index j) const {
    const double factor = ridge.factors.empty() ? 1.0 : ridge.factors[to_size(j)];
    return std::sqrt(ridge.size * factor) * scale.a;
  }

  // [√w Ã | √w b̃], rows [first, last).
  void copy_rows(Index first, Index last, View out) const {
    const Index d = A.cols();
    A.copy_rows(first, last, part(out, 0, 0, last - first, d));
    for (Index i = first; i < last; ++i) {
      const double root = weights.empty() ? 1.0 : std::sqrt(weights[to_size(i)]);
      double* row = out.row(i - first);
      for (Index j = 0; j < d; ++j) row[j] = flush_tiny(row[j] * scale.a * root);
      for (Index c = 0; c < b.cols; ++c) row[d + c] = b(i, c) * scale.b * root;
    }
  }
};

// A problem of p unknowns with the same solutions: M (m × p), and right-hand
// sides (m × c) in the columns behind it.
struct Small {
  ConstView M;
  ConstView rhs;
};

// min ‖M·z − rhs‖² + Σ_i ridge_i z_i², z of least norm: dgelsd on [M; √ridge].
// Z is c × p.
template <class RootRidge>
SvdSolution solve_small(const Small& small, bool with_ridge, RootRidge root_ridge, double rcond,
                        View Z) {
  const Index m = small.M.rows, p = small.M.cols;
  const Index extra = with_ridge ? p : 0;
  Buffer stacked(m + extra, p);
  for (Index i = 0; i < m; ++i) std::copy_n(small.M.row(i), p, stacked.view().row(i));
  for (Index i = 0; i < extra; ++i) stacked.view()(m + i, i) = root_ridge(i);
  Buffer x(Z.rows, std::max(m + extra, p));
  for (Index c = 0; c < Z.rows; ++c) {
    for (Index i = 0; i < m; ++i) x.view()(c, i) = small.rhs(i, c);
  }
  const SvdSolution solution = least_squares_svd(stacked.view(), x.view(), rcond);
  for (Index c = 0; c < Z.rows && solution.ok; ++c) std::copy_n(x.view().row(c), p, Z.row(c));
  return solution;
}

// ‖M·z_c − rhs_c‖².
std::vector<double> squared_residuals(const Small& small, ConstView Z) {
  std::vector<double> sums(to_size(Z.rows), 0.0);
  for (Index c = 0; c < Z.rows; ++c) {
    for (Index i = 0; i < small.M.rows; ++i) {
      double r = -small.rhs(i, c);
      for (Index j = 0; j < Z.cols; ++j) r += small.M(i, j) * Z(c, j);
      sums[to_size(c)] += r * r;
    }
  }
  return sums;
}

// The answer in the scaled variables; X is c × d.
struct Answer {
  SvdSolution svd;
  std::vector<double> residual2;
  Dependences dependences = {};
};

// The column without a ridge (the intercept) of a wide problem with a ridge, if there is one.
std::optional<Index> free_column(const Scaled& problem) {
  for (Index j = 0; j < problem.A.cols() && problem.ridge.size > 0.0; ++j)
    if (problem.root_ridge(j) == 0.0) return j;
  return std::nullopt;
}

// Projects column `free` out of the other columns and the right-hand sides; the column itself
// becomes zero. `shares` receives the coefficients of the projections.
void project_out(View rows, Index free, std::vector<double>& shares) {
  double size2 = 0.0;
  for (Index i = 0; i < rows.rows; ++i) size2 += rows(i, free) * rows(i, free);
  shares.assign(to_size(rows.cols), 0.0);
  if (size2 == 0.0) return;
  for (Index i = 0; i < rows.rows; ++i)
    for (Index j = 0; j < rows.cols; ++j) shares[to_size(j)] += rows(i, free) * rows(i, j) / size2;
  for (Index i = 0; i < rows.rows; ++i) {
    const double f = rows(i, free);
    for (Index j = 0; j < rows.cols; ++j) rows(i, j) -= f * shares[to_size(j)];
    rows(i, free) = 0.0;
  }
}

// n ≥ d: [Ã | b̃] = Q·[R S; 0 T], so ‖Ãx − b̃‖² = ‖R·x − S‖² + ‖T‖² by columns.
Answer solve_tall(const Scaled& problem, double rcond, ThreadTeam& team, View X) {
  const Index d = X.cols, c = X.rows;
  const auto source = [&](Index first, Index last, View out) {
    problem.copy_rows(first, last, out);
  };
  const Buffer r = distributed_r(problem.A, d + c, source, team);
  const Small small{part(r.view(), 0, 0, d, d), part(r.view(), 0, d, d, c)};
  const bool with_ridge = problem.ridge.size > 0.0;
  Answer answer{solve_small(
                    small, with_ridge, [&](Index j) { return problem.root_ridge(j); }, rcond, X),
                {}};
  if (answer.svd.ok && answer.svd.rank < d && !with_ridge)
    answer.dependences = dependences(small.M, answer.svd.rank);
  answer.residual2 = squared_residuals(small, X);
  for (Index k = 0; k < c; ++k) {
    for (Index i = d; i < d + c; ++i) {
      answer.residual2[to_size(k)] += r.view()(i, d + k) * r.view()(i, d + k);
    }
  }
  return answer;
}

// n < d: Ã = L·Qᵀ. The minimum-norm solution, and with a ridge the solution, is in the row
// space: x = Q·z, where z solves the problem with L (n × n). The ridge is the same for all
// columns except at most one, which has none and is projected out.
Answer solve_wide(const Scaled& problem, double rcond, View X) {
  const Index n = problem.A.rows(), d = X.cols, c = X.rows;
  Buffer rows(n, d + c);
  problem.copy_rows(0, n, rows.view());
  communicator(problem.A).sum({rows.data(), to_size(n * (d + c))});
  const std::optional<Index> free = free_column(problem);
  std::vector<double> shares;
  if (free) project_out(rows.view(), *free, shares);
  const View A = part(rows.view(), 0, 0, n, d);
  std::vector<double> tau(to_size(n));
  lq(A, tau);
  Buffer L(n, n);
  for (Index i = 0; i < n; ++i) std::copy_n(A.row(i), i + 1, L.view().row(i));
  const Small small{L.view(), part(rows.view(), 0, d, n, c)};
  const View Z = part(X, 0, 0, c, n);
  const double root_ridge = problem.root_ridge(free == 0 && d > 1 ? 1 : 0);
  Answer answer{solve_small(
                    small, root_ridge > 0.0, [&](Index) { return root_ridge; }, rcond, Z),
                {}};
  answer.residual2 = squared_residuals(small, Z);
  lq_expand(A, tau, X);
  for (Index k = 0; k < c && free; ++k) {
    double value = shares[to_size(d + k)];
    for (Index j = 0; j < d; ++j)
      if (j != *free) value -= shares[to_size(j)] * X(k, j);
    X(k, *free) = value;
  }
  if (free) ++answer.svd.rank;
  return answer;
}

int exponent(double power_of_two) { return std::ilogb(power_of_two); }

}  // namespace

double rank_threshold(Index rows, Index cols) {
  constexpr Index least = 16;
  return 4.0 * static_cast<double>(std::max(least, std::min(rows, cols))) *
         std::numeric_limits<double>::epsilon();
}

LeastSquaresResult qr_least_squares(const RowMatrix& A, ConstView b,
                                    std::span<const double> weights, Ridge ridge, ThreadTeam& team,
                                    Scale scale) {
  const Index n = A.rows(), d = A.cols(), c = b.cols;
  const Scaled problem{A, b, weights, ridge, scale};
  const double rcond = rank_threshold(n, d);
  Buffer x(c, d);
  Answer answer =
      n < d ? solve_wide(problem, rcond, x.view()) : solve_tall(problem, rcond, team, x.view());
  LeastSquaresResult result;
  result.x.assign(to_size(c * d), 0.0);
  if (!answer.svd.ok) return result;
  result.ok = true;
  result.rank = answer.svd.rank;
  result.dependences = std::move(answer.dependences);
  const int of_a = exponent(scale.a), of_b = exponent(scale.b);
  for (Index i = 0; i < c * d; ++i) {
    result.x[to_size(i)] = std::scalbn(x.data()[i], of_a - of_b);
  }
  for (double s : answer.svd.singular_values) {
    result.singular_values.push_back(std::scalbn(s, -of_a));
  }
  for (double r : answer.residual2) {
    result.residual_norms.push_back(std::scalbn(std::sqrt(r), -of_b));
  }
  return result;
}

}  // namespace polyak::internal
