#pragma once

// The two ways an image is made: by the library's driver, or by sweeps over the
// views.

#include <memory>

#include "tomography/stop_rules.hpp"

namespace polyak::tomography {

/// `from`: where a run that was saved goes on, or null.
Reconstruction run_solver(const std::shared_ptr<const Problem>& problem,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

/// sirt, sart, and fbp, whose image is the start itself.
Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

}  // namespace polyak::tomography
