#include "solve/plan/basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/clock.hpp"
#include "core/large_arrays.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "sampling/law.hpp"
#include "spectrum/row_kernel.hpp"
#include "spectrum/row_norms.hpp"

namespace polyak {
namespace {

// One factor at a time: scale.a² may overflow.
double scaled(double v, Scale scale) { return v * scale.a * scale.a; }
double unscaled(double v, Scale scale) { return v / scale.a / scale.a; }

void check_count(const Problem& problem, const SolveOptions& options) {
  if (std::ssize(options.probabilities) == problem.rows()) return;
  throw Error(ErrorCode::bad_data, {.what = "there must be one probability per row",
                                    .found = std::to_string(options.probabilities.size()),
                                    .expected = std::to_string(problem.rows())});
}

void check_probabilities(const RowMatrix& A, std::span<const double> norms2,
                         std::span<const double> given) {
  std::optional<Place> bad;
  if (const auto row = neglected_row(norms2, given))
    bad = Place{partition(A).first + *row, 0, given[to_size(*row)]};
  if ((bad = first_of_ranks(A, bad))) refuse_probability(bad->row, bad->value);
}

// The rows that are not zero.
std::shared_ptr<const UsedRows> used_rows(const MatrixFacts& facts) {
  if (facts.blocks) return {facts.blocks, &facts.blocks->used};
  auto out = std::make_shared<UsedRows>();
  out->add(facts.norms2);
  out->finish();
  return out;
}

// The cost of an iteration beside its batch, in rows: drawing, sorting, the update of x, one
// synchronisation of the threads.
constexpr double overhead_rows = 50.0;

// The last `rank` of the ascending eigenvalues.
std::vector<double> resolved(const std::vector<double>& values, Index rank) {
  return {values.end() - rank, values.end()};
}

}  // namespace

std::unique_ptr<const Sampler> plan_sampler(const Problem& problem, const MatrixFacts& facts,
                                            const SolveOptions& options) {
  const RowMatrix& A = problem.A();
  const Partition own = partition(A);
  const Sampling law = law_named(options.sampling);
  if (law == Sampling::uniform && own.ranks() == 1 && facts.zero_rows < A.rows())
    return std::make_unique<const Sampler>(facts.zero_rows == 0 ? Sampler::even(A.rows())
                                                                : Sampler::even(used_rows(facts)));
  if (law == Sampling::given) check_count(problem, options);
  const auto of_own = [&own](std::span<const double> numbers) {
    return numbers.empty() ? numbers
                           : numbers.subspan(to_size(own.first), to_size(own.rows->rows()));
  };
  const std::span<const double> norms2 = of_own(facts.norms2),
                                given = of_own(options.probabilities);
  if (law == Sampling::given) check_probabilities(A, norms2, given);
  const std::vector<double> weights = law_weights(
      law, norms2, given, {static_cast<double>(A.rows() - facts.zero_rows), facts.frobenius2});
  return std::make_unique<const Sampler>(weights, own.first, *own.communicator);
}

Range ridge_range(const Problem& problem, Scale scale) {
  if (problem.ridge() == 0.0 || problem.cols() == 0) return {0.0, 0.0};
  Range out{problem.ridge(0), problem.ridge(0)};
  for (Index j = 1; j < problem.cols(); ++j) {
    out.low = std::min(out.low, problem.ridge(j));
    out.high = std::max(out.high, problem.ridge(j));
  }
  return {scaled(out.low, scale), scaled(out.high, scale)};
}

SpectrumBy spectrum_named(const std::string& name) {
  if (name == "exact") return SpectrumBy::exact;
  if (name == "sketch") return SpectrumBy::sketch;
  return name == "lanczos" ? SpectrumBy::lanczos : SpectrumBy::automatic;
}

std::vector<double> range_in_units(const std::optional<Range>& range, Scale scale) {
  if (!range) return {};
  return {unscaled(range->low, scale), unscaled(range->high, scale)};
}

PlannedSpectrum plan_spectrum(const Problem& problem, const MatrixFacts& facts,
                              const SolveOptions& options, ThreadTeam& team) {
  PlannedSpectrum out;
  Extremes& found = out.found;
  if (!options.lambda_min || !options.lambda_max) {
    timed(out.seconds, [&] {
      found = extremes(problem, facts, team, options.seed, spectrum_named(options.spectrum));
    });
    out.estimated = !found.exact;
  }
  if (options.lambda_min) found.lambda_min = scaled(*options.lambda_min, facts.scale);
  if (options.lambda_max) found.lambda_max = scaled(*options.lambda_max, facts.scale);
  found.lambda_min = std::min(found.lambda_min, found.lambda_max);
  if (options.lambda_min || options.lambda_max)
    found.values.clear();  // given values replace the spectrum
  // The ridge is added to all eigenvalues; those of the null space of A start at 0.
  const auto [lowest, highest] = ridge_range(problem, facts.scale);
  const bool null_space = found.has_values() && found.resolved() < problem.cols();
  const bool from_zero = null_space && lowest > 0.0 && !options.lambda_min;
  out.lambda_min = (from_zero ? 0.0 : found.lambda_min) + lowest;
  out.lambda_max = found.lambda_max + highest;
  return out;
}

void report_spectrum(const PlannedSpectrum& spectrum, const SolveOptions& options, Scale scale,
                     bool with_max, Used& used) {
  const Extremes& found = spectrum.found;
  used.lambda_min = unscaled(found.lambda_min, scale);
  used.lambda_min_source = options.lambda_min ? "given" : found.source;
  if (!options.lambda_min) used.lambda_min_range = range_in_units(found.lambda_min_range, scale);
  if (with_max) {
    used.lambda_max = unscaled(found.lambda_max, scale);
    used.lambda_max_source = options.lambda_max ? "given" : found.source;
    if (!options.lambda_max) used.lambda_max_range = range_in_units(found.lambda_max_range, scale);
  }
  if (found.knows_rank()) used.rank = found.rank;
}

double law_eta(const Problem& problem, const MatrixFacts& facts, const Sampler& sampler) {
  const double own =
      facts.blocks ? even_eta(problem, *facts.blocks, sampler, facts.scale.a, facts.frobenius2)
                   : sampling_eta(sampler, facts.norms2, facts.frobenius2);
  return largest_of_ranks(problem.A(), own);
}

double planned_eta(const Problem& problem, const MatrixFacts& facts, const Extremes& found,
                   const Sampler& sampler, std::uint64_t seed, ThreadTeam& team) {
  RowNumbers ratio(facts.norms2.size());
  for (Index j = sampler.first(); j < sampler.first() + sampler.rows(); ++j) {
    const double p = sampler.probability(j);
    if (p > 0.0) ratio[to_size(j)] = facts.norms2[to_size(j)] / p;
  }
  return effective_eta(problem, facts, found.lambda_max, ratio, team, seed, found.sketch_rows == 0);
}

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
