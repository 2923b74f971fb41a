#include "solve/run/row_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "polyak/ranks.hpp"

namespace polyak::internal {
namespace {

constexpr double deviations = 4.0;  // of a normal law: 3e-5 on either side
constexpr Index chunks = 8;         // for any number of threads, so that sums have the same bits

Index rows_drawn(Index rows) { return std::clamp<Index>(rows / 400, 256, 2048); }

// Of a mean of m values, from Σ v/m and Σ v²/m.
double deviation(double mean, double mean_square, double m) {
  return std::sqrt(std::max(0.0, mean_square - mean * mean) / m);
}

}  // namespace

bool RowEstimate::pays(const Problem& problem) {
  return problem.rows() >= 20 * 2 * rows_drawn(problem.rows()) && !problem.has_bounds();
}

RowEstimate::RowEstimate(const Problem& problem, const MatrixFacts& facts, Products& products,
                         const Monitor& monitor, const Sampler& sampler, std::uint64_t seed,
                         std::uint64_t stream)
    : problem_(problem),
      facts_(facts),
      products_(products),
      monitor_(monitor),
      random_(seed, stream::estimate + stream),
      drawer_(sampler, rows_drawn(problem.rows()), problem.weights(), products.team()),
      both_(to_size(2 * problem.right_hand_sides() * problem.cols())) {}

// u: the gradient of m rows, as a unit vector.
void RowEstimate::find_direction(Index k, ConstView x) {
  const Index c = x.rows, d = x.cols;
  std::copy(x.data, x.data + x.size(), both_.begin());
  const View u{both_.data() + c * d, c, d, d};
  drawer_.draw(random_, 2 * k);
  products_.gradient(drawer_.rows(), drawer_.weights(), x, problem_.b(), u);
  for (Index i = 0; i < c; ++i) {
    const double size = norm(u.row(i), d);
    for (Index j = 0; j < d && size > 0.0; ++j) u(i, j) /= size;
  }
}

// `products` are a_rowᵀx_c and, c numbers on, a_rowᵀu_c.
RowEstimate::Sums RowEstimate::add(Index row, double weight, Index c,
                                   const double* products) const {
  const Scale scale = facts_.scale;
  const double m = static_cast<double>(drawer_.batch());
  const double r = scale.b * (products[c] - problem_.b()(row, c));
  const double residual = weight * r * r;
  const double slope = weight * r * scale.a * products[problem_.right_hand_sides() + c];
  return {residual, m * residual * residual, slope, m * slope * slope};
}

// m other rows, so that u does not depend on them: then the slopes are independent values with
// the mean uᵀg.
std::vector<RowEstimate::Sums> RowEstimate::add_rows(Index k, ConstView x) {
  drawer_.draw(random_, 2 * k + 1);
  const Index c = x.rows, count = std::ssize(drawer_.rows());
  std::vector<Sums> parts(to_size(chunks * c)), out(to_size(c));
  products_.A().expect_rows(drawer_.rows());
  const ConstView both{both_.data(), 2 * c, x.cols, x.cols};
  products_.team().run(chunks, [&](Index chunk) {
    std::vector<double> products(to_size(2 * c));
    for (Index t = chunk * count / chunks; t < (chunk + 1) * count / chunks; ++t) {
      const Index row = drawer_.rows()[to_size(t)];
      products_.A().multiply(row, row + 1, both, {products.data(), 1, 2 * c, 2 * c});
      for (Index i = 0; i < c; ++i) {
        const Sums more = add(row, drawer_.weights()[to_size(t)], i, products.data());
        Sums& sum = parts[to_size(chunk * c + i)];
        sum.residual += more.residual;
        sum.residual_squares += more.residual_squares;
        sum.slope += more.slope;
        sum.slope_squares += more.slope_squares;
      }
    }
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Sums& sum = out[i % to_size(c)];
    sum.residual += parts[i].residual;
    sum.residual_squares += parts[i].residual_squares;
    sum.slope += parts[i].slope;
    sum.slope_squares += parts[i].slope_squares;
  }
  for (Sums& sum : out) {
    double numbers[] = {sum.residual, sum.residual_squares, sum.slope, sum.slope_squares};
    communicator(products_.A()).sum(numbers);
    sum = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  return out;
}

// The tolerance is met where one of two tests is (‖r‖ ≤ τ, or ‖g‖ ≤ tol·‖A‖_F·‖r‖), so both have
// to be excluded.
//  - If ‖r‖² ≤ τ², an estimate of it that is never negative and has the right mean is above
//    τ²/doubt with probability `doubt` at most (Markov), for any rows; and where the rows have
//    similar residuals, the estimate less four deviations is hardly ever above τ².
//  - ‖g‖ ≥ uᵀg, a mean of m independent values; it is taken four deviations lower, ‖r‖² four
//    deviations higher.
RowTest RowEstimate::at(Index k, ConstView x) {
  find_direction(k, x);
  const double m = static_cast<double>(drawer_.batch());
  RowTest out{.near = true};
  const std::vector<Sums> sums = add_rows(k, x);
  for (Index c = 0; c < x.rows; ++c) {
    const Sums& sum = sums[to_size(c)];
    const auto [ridge_residual, ridge_slope] =
        monitor_.ridge_part(x, c, both_.data() + (x.rows + c) * x.cols);
    const double r2 = sum.residual + ridge_residual, slope = sum.slope + ridge_slope;
    const double least_slope = slope - deviations * deviation(sum.slope, sum.slope_squares, m);
    const double spread = deviations * deviation(sum.residual, sum.residual_squares, m);
    const Monitor::Bars bars = monitor_.bars(x, c);
    if (!(std::max(doubt * r2, r2 - spread) > bars.residual * bars.residual)) continue;
    out.near = false;
    if (!(least_slope > bars.gradient * std::sqrt(r2 + spread))) continue;
    out.above = true;
    const double nearer =
        std::min(std::sqrt(r2) / bars.residual, slope / (bars.gradient * std::sqrt(r2)));
    out.distance = std::max(out.distance, nearer);
  }
  return out;
}

}  // namespace polyak::internal
