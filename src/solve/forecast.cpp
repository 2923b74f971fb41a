#include "solve/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/row_kernel.hpp"

namespace polyak {
namespace {

// An iteration costs about as much as this many rows beside its own: drawing,
// sorting, the update of x, one meeting of the threads.
constexpr double rows_of_an_iteration = 50.0;

// What A resolves: the last `rank` of the ascending eigenvalues.
std::vector<double> resolved(const std::vector<double>& values, Index rank) {
  return {values.end() - rank, values.end()};
}

}  // namespace

Forecast::Forecast(const Problem& problem, const MatrixFacts& facts, const Extremes& extremes,
                   const Sampler& sampler, double energy, Range ridge, ThreadTeam& team,
                   std::uint64_t seed)
    : lambda_min_(extremes.lambda_min),
      lambda_max_(extremes.lambda_max),
      energy_(energy),
      ridge_(ridge),
      worst_(theory::worst_case_model(lambda_min_, lambda_max_, energy)),
      model_(best_model(problem, facts, extremes, sampler, team, seed)) {
  worst_.ridge = model_.ridge = ridge.low;
}

theory::Model Forecast::best_model(const Problem& problem, const MatrixFacts& facts,
                                   const Extremes& extremes, const Sampler& sampler,
                                   ThreadTeam& team, std::uint64_t seed) {
  if (extremes.values.empty()) {
    kind_ = "estimate: the ends of the spectrum, the worst A between them";
    return worst_;
  }
  std::vector<double> values = resolved(extremes.values, extremes.resolved());
  if (extremes.vectors.empty()) {
    kind_ = extremes.exact ? "model: Gaussian rows with this spectrum"
                           : "estimate: Gaussian rows with the spectrum of a sketch";
    return theory::gaussian_uniform_model(std::move(values), problem.rows());
  }
  const Index d = problem.cols();
  const std::vector<double> vectors(extremes.vectors.end() - extremes.resolved() * d,
                                    extremes.vectors.end());
  RowKernel kernel = row_kernel(problem, facts, sampler, vectors, team, seed);
  rows_read_ = kernel.rows_read;
  kind_ = kernel.sampled ? "model: diagonal second moments, from sampled rows"
                         : "model: diagonal second moments";
  return theory::diag_model(std::move(values), kernel.K);
}

double Forecast::rate(theory::Method method, const theory::Parameters& p, Index batch) const {
  return theory::rate_for_batch(model_, method, p, static_cast<double>(batch));
}

double Forecast::iterations(theory::Method method, const theory::Parameters& p, double batch,
                            const std::vector<double>& start, double target) const {
  constexpr double most_steps = 20000.0;
  const double rate_ = theory::rate_for_batch(model_, method, p, batch);
  if (!(rate_ < 1.0)) return std::numeric_limits<double>::infinity();
  const double plain = std::log(std::min(0.5, target)) / std::log(rate_);
  if (model_.width == 0 || plain > most_steps) return plain;
  // The trajectory knows the transient; twice the plain count covers it.
  const auto steps = static_cast<Index>(2.0 * plain + 200.0);
  const std::vector<double> ms =
      theory::mean_square_trajectory(model_, method, p, batch, {start, 0.0}, steps);
  for (std::size_t k = 0; k < ms.size(); ++k)
    if (std::sqrt(ms[k] / ms[0]) <= target) return static_cast<double>(k);
  return plain;
}

theory::Parameters Forecast::tuned(Index batch) const {
  return theory::safe_recipe(lambda_min_ + ridge_.low, lambda_max_ + ridge_.high, energy_,
                             static_cast<double>(batch))
      .parameters;
}

double Forecast::work(Index batch) const {
  const double rate_ = rate(theory::Method::heavy_ball, tuned(batch), batch);
  if (!(rate_ < 1.0)) return std::numeric_limits<double>::infinity();
  return (static_cast<double>(batch) + rows_of_an_iteration) / -std::log(rate_);
}

Index Forecast::best_batch(Index most) const {
  Index best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (Index batch = 8; batch / 2 < most; batch *= 2) {
    const Index tried = std::min(batch, most);
    const double w = work(tried);
    if (w > 4.0 * least) break;  // past the knee it only rises
    if (w < least) {
      least = w;
      best = tried;
    }
  }
  return best;
}

}  // namespace polyak
