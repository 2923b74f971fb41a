#pragma once

// Total variation: how smooth the image should be is what held-out rays say.

#include "tomography/stop_rules.hpp"

namespace polyak::tomography {

/// One slice. Without options.smoothing fits of more and more roughness are made
/// without the held-out rays, and the smoothest of those that predict them best is
/// finished with all rays; with options.noise the first that comes down to it is
/// taken. `from`: where a run that was saved goes on, or null.
Reconstruction run_tv(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules, const RunState* from);

/// The error with which the best of these fits predicts held-out rays of weight 1:
/// noise, and what pixels cannot explain.
double held_out_error(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules);

}  // namespace polyak::tomography
