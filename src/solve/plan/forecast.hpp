#pragma once

// Predictions of theory for sampled runs on this problem, by the best model that the
// known facts allow, and the batch it recommends. In the scaled problem's units.

#include <memory>
#include <string>

#include "method/record.hpp"
#include "polyak/theory.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

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
  /// The reasoning behind it: "model: …" or "estimate: …".
  const std::string& kind() const { return kind_; }
  const theory::Model& model() const { return model_; }
  /// Valid for any A with the known ends of the spectrum.
  const theory::Model& worst_case() const { return worst_; }

  /// What parameters tuned for a batch rest on.
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
