#pragma once

// The facts from which the parameters of a run are computed: the sampling law, as a table from
// which rows are drawn; the ends of the spectrum, which are given, exact, or estimated with error
// bars; and the rates that theory predicts for sampled runs.

#include <memory>
#include <string>

#include "method/record.hpp"
#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "polyak/theory.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

/// Of the rows held here. With several ranks every rank draws the batches that one rank would
/// draw. Error bad_data where given probabilities do not fit the rows.
std::unique_ptr<const Sampler> plan_sampler(const Problem& problem, const MatrixFacts& facts,
                                            const SolveOptions& options);

/// The value of the option spectrum.
SpectrumBy spectrum_named(const std::string& name);

/// Smallest and largest ridge term of the unknowns, in the scaled problem's units.
Range ridge_range(const Problem& problem, Scale scale);

/// [low, high] in the user's units; empty where there is no range.
std::vector<double> range_in_units(const std::optional<Range>& range, Scale scale);

/// In the scaled problem's units.
struct PlannedSpectrum {
  Extremes found;           ///< of A alone; given values replace computed ones
  double lambda_min = 0.0;  ///< with the ridge
  double lambda_max = 0.0;
  bool estimated = false;  ///< an end is neither given nor exact
  double seconds = 0.0;
};

/// Reads A unless both ends are given.
PlannedSpectrum plan_spectrum(const Problem& problem, const MatrixFacts& facts,
                              const SolveOptions& options, ThreadTeam& team);

/// Writes the ends, their sources and ranges, and the rank; lambda_max only if `with_max`.
void report_spectrum(const PlannedSpectrum& spectrum, const SolveOptions& options, Scale scale,
                     bool with_max, Used& used);

/// eta of the sampler's law, over all rows.
double law_eta(const Problem& problem, const MatrixFacts& facts, const Sampler& sampler);

/// eta_eff of the sampler's law, over all rows; the facts have the norms of all rows.
double planned_eta(const Problem& problem, const MatrixFacts& facts, const Extremes& found,
                   const Sampler& sampler, std::uint64_t seed, ThreadTeam& team);

/// Predictions of theory for sampled runs on this problem, by the best model that the known facts
/// allow, and the batch it recommends. In the scaled problem's units.
class Forecast {
 public:
  /// `energy` is eta·‖A‖_F²; eigenvalues are those of A alone, the ridge apart.
  Forecast(const Problem& problem, const MatrixFacts& facts, const Extremes& extremes,
           const Sampler& sampler, double energy, Range ridge, ThreadTeam& team,
           std::uint64_t seed);

  /// Mean square rate of a sampled method; 1 or more diverges.
  double rate(theory::Method method, const theory::Parameters& p, Index batch) const;
  /// Iterations until the root mean square error has fallen by `target`; infinite
  /// when it does not. `start`: v_jᵀ(x_0 − x*), or empty for no preferred direction.
  double iterations(theory::Method method, const theory::Parameters& p, double batch,
                    const std::vector<double>& start, double target) const;
  /// How it is predicted: "model: …" or "estimate: …".
  const std::string& kind() const { return kind_; }
  const theory::Model& model() const { return model_; }
  /// Valid for any A with the known ends of the spectrum.
  const theory::Model& worst_case() const { return worst_; }

  /// The bounds from which parameters for a batch are computed.
  SampledModel sampled_model() const {
    return {worst_, lambda_min_ + ridge_.low, lambda_max_ + ridge_.high, energy_};
  }
  /// Heavy ball's parameters for a batch (the recipe of docs/theory).
  theory::Parameters tuned(Index batch) const;
  /// The batch with the least work up to `max_batch`: iterations times (batch + the cost of an
  /// iteration beside its rows). A fixed rule, so that the choice is the same on every machine.
  Index best_batch(Index max_batch) const;
  /// The resolved eigenvalues, ascending; empty when only the ends are known.
  const std::vector<double>& eigenvalues() const { return model_.eigenvalues; }
  double rows_read() const { return rows_read_; }

 private:
  theory::Model best_model(const Problem& problem, const MatrixFacts& facts,
                           const Extremes& extremes, const Sampler& sampler, ThreadTeam& team,
                           std::uint64_t seed);
  double work(Index batch) const;

  double lambda_min_, lambda_max_, energy_;
  Range ridge_;  // of the unknowns
  double rows_read_ = 0.0;
  std::string kind_;
  theory::Model worst_, model_;
};

}  // namespace polyak
