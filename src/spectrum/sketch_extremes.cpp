#include <algorithm>
#include <cmath>
#include <string>

#include "core/random.hpp"
#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "polyak/matrices.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/resolved.hpp"
#include "spectrum/sketch.hpp"
#include "spectrum/sketch_bounds.hpp"

namespace polyak {
namespace {

constexpr double rounding = 1e-6;  // far beyond what it does to a squared norm
constexpr int rounds = 10;         // of an iteration towards an end of the sketch's spectrum

void normalise(View v) {
  double sum = 0.0;
  for (Index j = 0; j < v.cols; ++j) sum += v(0, j) * v(0, j);
  const double norm = std::sqrt(sum);
  for (Index j = 0; j < v.cols && norm > 0.0; ++j) v(0, j) /= norm;
}

// Vectors near the top and, where H = (SA)ᵀSA can be factored, near the bottom
// of the sketch's spectrum; H is spoilt. How near they are does not matter to
// what follows from them.
Buffer end_vectors(View H, bool bottom_too, std::uint64_t seed) {
  const Index d = H.rows;
  const Random random(seed, stream::lanczos);
  Buffer out(2, d), next(1, d);
  for (Index e = 0; e < 2; ++e) random.normals(to_size(e), to_size(d), out.view().row(e));
  const View top = part(out.view(), 0, 0, 1, d), low = part(out.view(), 1, 0, 1, d);
  normalise(top);
  for (int k = 0; k < rounds; ++k) {
    gemm(1.0, top, Transpose::no, H, Transpose::no, 0.0, next.view());
    std::copy_n(next.data(), d, top.data);
    normalise(top);
  }
  if (!bottom_too || !cholesky(H)) return out;
  for (int k = 0; k < rounds; ++k) {
    normalise(low);
    solve_right(H, low);
    solve_right(H, low, Transpose::yes);
  }
  normalise(low);
  return out;
}

// ‖Av‖² of those vectors, in one read: no lambda_max is smaller, and for full
// rank no lambda_min larger, whatever the sketch has done.
void tighten(const Problem& problem, const MatrixFacts& facts, ConstView v, bool full_rank,
             ThreadTeam& team, SketchBounds& bounds) {
  const Index d = problem.cols();
  Products products(problem.A(), problem.weights(), {facts.scale.a, facts.scale.a}, team);
  const double zeros[2] = {0.0, 0.0};
  Buffer gradients(2, d);
  double norms2[2] = {0.0, 0.0};
  products.full_gradient(v, {zeros, problem.rows(), 2, 0}, gradients.view(), norms2);
  Range &low = bounds.lambda_min_range, &top = bounds.lambda_max_range;
  top.low = std::max(top.low, norms2[0] * (1.0 - rounding));
  if (full_rank) low.high = norms2[1] * (1.0 + rounding);
  top.high = std::max(top.high, norms2[0] * (1.0 + rounding));
  low.high = std::min(low.high, top.high);
  low.low = std::min(low.low, low.high);
  bounds.lambda_min = std::clamp(bounds.lambda_min, low.low, low.high);
}

std::string source_of(Index rows) {
  return "sketch of " + std::to_string(rows) + " rows, probability 0.999";
}

}  // namespace

Index extremes_sketch_rows(Index cols) { return std::max<Index>(4096, 8 * cols); }

Extremes sketch_extremes(const Problem& problem, const MatrixFacts& facts, ThreadTeam& team,
                         std::uint64_t seed, Index rows) {
  const Index d = problem.cols();
  Extremes out;
  out.sketch_rows = rows > 0 ? rows : extremes_sketch_rows(d);
  out.source = source_of(out.sketch_rows);
  if (d == 0) return out;
  const Buffer sketch =
      sparse_sign_sketch(problem, facts.scale, out.sketch_rows, seed, team, false);
  const MatrixPtr SA = dense_view(sketch.view());
  const RowFactor as_is = [](Index) { return 1.0; };
  std::vector<double> H = gram(*SA, as_is, team);
  Resolved found = resolve(*SA, as_is, eigenvalues_of(H, d), team);
  out.rank = found.rank;
  out.rows_read = 2.0 * static_cast<double>(problem.rows());
  out.values = std::move(found.values);
  if (out.rank == 0) return out;
  const std::span<double> resolved(out.values.end() - out.rank, out.values.end());
  SketchBounds bounds = sketch_bounds(resolved, sketch.rows(), facts.frobenius2);
  const Buffer v = end_vectors({H.data(), d, d, d}, out.rank == d, seed);
  tighten(problem, facts, v.view(), out.rank == d, team, bounds);
  out.lambda_min = bounds.lambda_min;
  out.lambda_max = bounds.lambda_max_range.high;
  out.lambda_min_range = bounds.lambda_min_range;
  out.lambda_max_range = bounds.lambda_max_range;
  for (double& value : resolved) value = std::clamp(value, out.lambda_min, out.lambda_max);
  return out;
}

}  // namespace polyak
