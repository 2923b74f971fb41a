#include "solve/plan/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/row_kernel.hpp"

namespace polyak {
namespace {

// The cost of an iteration beside its batch, in rows: drawing, sorting, the update of x, one
// synchronisation of the threads.
constexpr double overhead_rows = 50.0;

// The last `rank` of the ascending eigenvalues.
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
  constexpr double max_simulated = 20000.0;
  const double rate_ = theory::rate_for_batch(model_, method, p, batch);
  if (!(rate_ < 1.0)) return std::numeric_limits<double>::infinity();
  const double plain = std::log(std::min(0.5, target)) / std::log(rate_);
  if (model_.width == 0 || plain > max_simulated) return plain;
  // The trajectory includes the transient; twice the asymptotic count is long enough.
  const auto steps = static_cast<Index>(2.0 * plain + 200.0);
  const std::vector<double> ms =
      theory::mean_square_trajectory(model_, method, p, batch, {start, 0.0}, steps);
  for (std::size_t k = 0; k < ms.size(); ++k)
    if (std::sqrt(ms[k] / ms[0]) <= target) return static_cast<double>(k);
  return plain;
}

theory::Parameters Forecast::tuned(Index batch) const {
  return minibatch_heavy_ball_record().plan.tuned(sampled_model(), batch);
}

double Forecast::work(Index batch) const {
  const double rate_ = rate(theory::Method::heavy_ball, tuned(batch), batch);
  if (!(rate_ < 1.0)) return std::numeric_limits<double>::infinity();
  return (static_cast<double>(batch) + overhead_rows) / -std::log(rate_);
}

Index Forecast::best_batch(Index max_batch) const {
  Index best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (Index batch = 8; batch / 2 < max_batch; batch *= 2) {
    const Index tried = std::min(batch, max_batch);
    const double w = work(tried);
    if (w > 4.0 * least) break;  // beyond the minimum it only rises
    if (w < least) {
      least = w;
      best = tried;
    }
  }
  return best;
}

}  // namespace polyak
