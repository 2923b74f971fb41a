#pragma once

// The ends of the spectrum that a plan rests on: given, exact, or estimated
// with error bars.

#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

/// Of --spectrum.
SpectrumBy spectrum_named(const std::string& name);

/// The ridge terms of the unknowns, in the scaled problem's units.
Range ridge_range(const Problem& problem, Scale scale);

/// [low, high] in the user's units; empty where there is no range.
std::vector<double> range_in_units(const std::optional<Range>& range, Scale scale);

/// In the scaled problem's units.
struct PlannedSpectrum {
  Extremes found;           ///< of A alone; what is given stands in for what was found
  double lambda_min = 0.0;  ///< with the ridge
  double lambda_max = 0.0;
  bool estimated = false;   ///< an end is neither given nor exact
  double seconds = 0.0;
};

/// Reads A unless both ends are given.
PlannedSpectrum plan_spectrum(const Problem& problem, const MatrixFacts& facts,
                              const SolveOptions& options, ThreadTeam& team);

/// Ends, their sources and ranges, and the rank; lambda_max only if `with_max`.
void tell_spectrum(const PlannedSpectrum& spectrum, const SolveOptions& options, Scale scale,
                   bool with_max, Used& used);

/// eta_eff of the sampler's law, over all rows.
double planned_eta(const Problem& problem, const MatrixFacts& facts, const Extremes& found,
                   const Sampler& sampler, std::uint64_t seed, ThreadTeam& team);

}  // namespace polyak
