#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "tomography/reconstruct/tv.hpp"
#include "tomography/streams.hpp"

namespace polyak::tomography {
namespace {

double mean_of(const Squares& squares) {
  return std::accumulate(squares.begin(), squares.end(), 0.0) /
         std::max(1.0, static_cast<double>(squares.size()));
}

std::size_t best_of(const std::vector<Squares>& fits) {
  const auto better = [](const Squares& a, const Squares& b) { return mean_of(a) < mean_of(b); };
  return to_size(std::min_element(fits.begin(), fits.end(), better) - fits.begin());
}

}  // namespace

double standard_errors_above(const Squares& a, const Squares& b) {
  const double n = static_cast<double>(a.size());
  double sum = 0.0, sum2 = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] - b[k];
  for (std::size_t k = 0; k < a.size(); ++k) sum2 += std::pow(a[k] - b[k] - sum / n, 2);
  return sum2 > 0.0 && n > 1.0 ? sum / std::sqrt(sum2 * n / (n - 1.0)) : 0.0;
}

HeldOut::HeldOut(const Problem& problem, const std::vector<double>& row_sums, std::uint64_t seed)
    : problem_(problem), weights_(problem.weights().begin(), problem.weights().end()) {
  if (weights_.empty()) weights_.assign(row_sums.size(), 1.0);
  const auto counts = [&](std::size_t r) { return row_sums[r] > 0.0 && weights_[r] > 0.0; };
  Index there = 0;
  for (std::size_t r = 0; r < row_sums.size(); ++r) there += counts(r) ? 1 : 0;
  const double part = there < 10000 ? 0.2 : 0.1;
  const Random random(seed, stream::held_out);
  for (std::size_t r = 0; r < row_sums.size(); ++r) {
    if (!counts(r) || random.uniform(r, 0) >= part) continue;
    rays_.push_back(static_cast<Index>(r));
    own_.push_back(std::exchange(weights_[r], 0.0));
  }
}

Squares HeldOut::squares(const std::vector<double>& projections) const {
  Squares out;
  for (std::size_t k = 0; k < rays_.size(); ++k) {
    const double r = projections[to_size(rays_[k])] - problem_.b()(rays_[k], 0);
    out.push_back(own_[k] * r * r);
  }
  return out;
}

double HeldOut::error(const Squares& squares) const {
  const double weights = std::accumulate(own_.begin(), own_.end(), 0.0);
  return weights > 0.0 ? std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / weights)
                       : 0.0;
}

std::size_t smoothest_of_the_best(const std::vector<Squares>& fits) {
  const std::size_t best = best_of(fits);
  for (std::size_t k = 0; k < best; ++k)
    if (standard_errors_above(fits[k], fits[best]) <= 2.0) return k;
  return best;
}

bool past_the_best(const std::vector<Squares>& fits) {
  const std::size_t best = best_of(fits), n = fits.size();
  if (n < best + 3) return false;
  return standard_errors_above(fits[n - 1], fits[best]) > 2.0 ||
         mean_of(fits[n - 1]) > 1.02 * mean_of(fits[best]);
}

}  // namespace polyak::tomography
