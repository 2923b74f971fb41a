#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/random.hpp"
#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "polyak/matrices.hpp"
#include "spectrum/eigenvalues.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"
#include "spectrum/sketch.hpp"

namespace polyak::internal {
namespace {

constexpr double rounding = 1e-6;  // far above the rounding error of a squared norm
constexpr int rounds = 10;         // of power iteration and of inverse iteration

void normalise(View v) {
  double sum = 0.0;
  for (Index j = 0; j < v.cols; ++j) sum += v(0, j) * v(0, j);
  const double norm = std::sqrt(sum);
  for (Index j = 0; j < v.cols && norm > 0.0; ++j) v(0, j) /= norm;
}

// Approximate eigenvectors for the largest and, if H = (SA)ᵀSA has a Cholesky factor, the
// smallest eigenvalue of the sketch; H is overwritten. The bounds below hold for any vectors.
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

// Tightens the bounds by ‖Av‖² of these unit vectors, in one read of A: lambda_max is at least,
// and for full rank lambda_min at most, such a value.
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

// Three bounds share the probability of failure, each with tails exp(−t²/2).
const double t = std::sqrt(2.0 * std::log(3.0 / sketch_failure));

// Correction of the Gaussian theory for sparse signs: if u has only two nonzero entries, one
// collision of their rows in a band changes ‖Su‖² by a fraction 1/copies, with probability
// copies²/(2s); two such collisions are too rare to matter (28·16/s²). With three nonzero
// entries each collision changes 2/3 of that; two of them have probability 4416/s².
constexpr double jump = 1.1 / static_cast<double>(sketch_copies);

// The points z at which the bounds are evaluated: relative distances from the end of the
// spectrum of the sketch.
constexpr double steps[] = {0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15,
                            0.2, 0.25, 0.3,  0.4,  0.5,  0.7,  1.0};

// A = A' + √lambda·u·vᵀ with v the eigenvector at one end of the spectrum. Then
// SA(SA)ᵀ = XXᵀ + lambda·g·gᵀ, where X = SA' and g = Su are independent for a
// Gaussian S, and z is outside the spectrum of the sketch exactly when
//   lambda·gᵀ(z − XXᵀ)⁻¹g < 1 (at the top),  > 1 (at the bottom, between 0 and it).
// That form has the mean m(z) = tr(z − XXᵀ)⁻¹/s and the variance 2·tr(z − XXᵀ)⁻²/s²,
// with Laurent and Massart's tails; the eigenvalues of XXᵀ interlace with those
// of the sketch, and s − rank + 1 of them are zero. Every z gives a bound; the best is used.
class Bounds {
 public:
  Bounds(std::span<const double> values, Index rows)
      : values_(values),
        s_(static_cast<double>(rows)),
        zeros_(s_ - static_cast<double>(values.size()) + 1.0) {}

  double top_high() const {
    double out = std::numeric_limits<double>::infinity();
    for (double step : steps) {
      const double z = values_.back() * (1.0 + step);
      const Form form = form_at(z, values_.first(values_.size() - 1));
      const double least = form.mean - std::max(t * form.scatter, jump * form.mean);
      if (least > 0.0) out = std::min(out, 1.0 / least);
    }
    return out;
  }

  double bottom_low() const {
    return best_below([](const Form& form, double z, double s) {
      return form.mean + std::max(t * form.scatter + t * t / (s * z), jump * std::abs(form.mean));
    });
  }

  double bottom_estimate() const {
    return best_below([](const Form& form, double, double) { return form.mean + form.scatter; });
  }

 private:
  struct Form {
    double mean, scatter;
  };

  Form form_at(double z, std::span<const double> others) const {
    double first = zeros_ / z, second = first / z;
    for (double l : others) {
      const double term = 1.0 / (z - l);
      first += term;
      second += term * term;
    }
    return {first / s_, std::sqrt(2.0 * second) / s_};
  }

  // The largest 1/bound(form, z, s) for z between 0 and the smallest eigenvalue of the sketch.
  template <class Bound>
  double best_below(Bound bound) const {
    double out = 0.0;
    for (double step : steps) {
      const double z = values_.front() * (1.0 - step);
      if (!(z > 0.0)) continue;
      const double upper = bound(form_at(z, values_.subspan(1)), z, s_);
      if (upper > 0.0) out = std::max(out, 1.0 / upper);
    }
    return out;
  }

  std::span<const double> values_;
  double s_, zeros_;
};

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
  Resolved found = resolve(*SA, as_is, eigenvalues_of(H, d), gram_additions(*SA), team);
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

SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2) {
  SketchBounds out;
  if (values.empty()) return out;
  const double s = static_cast<double>(rows), rank = static_cast<double>(values.size());
  const Bounds bounds(values, rows);
  out.lambda_max_range.low = frobenius2 / rank;  // the mean of all
  out.lambda_max_range.high = std::min(bounds.top_high(), frobenius2);
  out.lambda_min = bounds.bottom_estimate();
  out.lambda_min_range.low = bounds.bottom_low();
  // No vector in the row space of A is shortened by more than this.
  const double squeeze = 1.0 - std::sqrt(rank / s) - std::max(t / std::sqrt(s), jump);
  out.lambda_min_range.high = squeeze > 0.0 ? values.front() / (squeeze * squeeze)
                                            : std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace polyak::internal
