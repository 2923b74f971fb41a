#include "bench/solve_outcome.hpp"

#include <algorithm>

#include "bench/harness.hpp"

namespace polyak::bench {
namespace {

using Kind = Entrant::Kind;

// "subset-direct, check": what auto did, in order.
std::string stages_text(const std::vector<Stage>& stages) {
  std::string out;
  for (const Stage& stage : stages) out += (out.empty() ? "" : ", ") + stage.method;
  return out;
}

// Nothing where a stage had no prediction: a sum without it would look better
// than it is.
std::optional<double> predicted(const std::vector<Stage>& stages) {
  if (stages.empty()) return std::nullopt;
  double sum = 0.0;
  for (const Stage& stage : stages) {
    if (!stage.predicted_seconds) return std::nullopt;
    sum += *stage.predicted_seconds;
  }
  return sum;
}

std::optional<Rival> best(const Outcome& outcome, const Entrant& automatic, Kind kind) {
  const Entrant* found = nullptr;
  double least = 0.0;
  for (const Entrant& one : outcome.entrants) {
    if (one.kind != kind || one.seconds.empty() || !counts(one, automatic)) continue;
    const double median = spread_of(one.seconds).median;
    if (found != nullptr && median >= least) continue;
    found = &one;
    least = median;
  }
  if (found == nullptr) return std::nullopt;
  return Rival{found->name, ratio(automatic, *found)};
}

}  // namespace

const Entrant* Outcome::find(Kind kind, const std::string& wanted) const {
  for (const Entrant& one : entrants)
    if (one.kind == kind && (wanted.empty() || one.name == wanted)) return &one;
  return nullptr;
}

bool counts(const Entrant& entrant, const Entrant& automatic) {
  if (entrant.good) return *entrant.good;
  return entrant.converged && entrant.error <= std::max(1e-6, 10.0 * automatic.error);
}

Spread ratio(const Entrant& a, const Entrant& b) {
  std::vector<double> samples;
  for (std::size_t k = 0; k < std::min(a.seconds.size(), b.seconds.size()); ++k)
    samples.push_back(a.seconds[k] / b.seconds[k]);
  return spread_of(std::move(samples));
}

SolvedCase summary(const Outcome& outcome) {
  SolvedCase out;
  out.name = outcome.name;
  out.from_file = outcome.from_file;
  const Entrant* automatic = outcome.find(Kind::automatic);
  if (automatic == nullptr) return out;
  out.method = stages_text(outcome.stages);
  out.converged = automatic->converged;
  out.seconds = spread_of(automatic->seconds).median;
  out.error = automatic->error;
  out.backward_error = automatic->backward_error;
  out.predicted_seconds = predicted(outcome.stages);
  out.best_fixed = best(outcome, *automatic, Kind::fixed);
  out.best_peer = best(outcome, *automatic, Kind::peer);
  return out;
}

}  // namespace polyak::bench
