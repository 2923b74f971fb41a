#pragma once

// What the parameters of a run rest on: the sampling law, as a table to draw rows from, and
// the ends of the spectrum, which are given, exact, or estimated with error bars.

#include <memory>

#include "polyak/options.hpp"
#include "polyak/report.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

/// Of the rows held here. With several ranks every rank draws the batches that one rank would
/// draw. Error bad_data where given probabilities do not fit the rows.
std::unique_ptr<const Sampler> plan_sampler(const Problem& problem, const MatrixFacts& facts,
                                            const SolveOptions& options);

/// The value of --spectrum.
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

/// eta_eff of the sampler's law, over all rows.
double planned_eta(const Problem& problem, const MatrixFacts& facts, const Extremes& found,
                   const Sampler& sampler, std::uint64_t seed, ThreadTeam& team);

}  // namespace polyak
