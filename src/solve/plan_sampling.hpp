#pragma once

// The sampling law of a run, as a table to draw rows from.

#include <memory>

#include "polyak/options.hpp"
#include "polyak/problem.hpp"
#include "sampling/sampler.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

/// Of the rows held here; drawn by all ranks together as one would draw them.
/// Error bad_data where given probabilities do not fit the rows.
std::unique_ptr<const Sampler> plan_sampler(const Problem& problem, const MatrixFacts& facts,
                                            const SolveOptions& options);

}  // namespace polyak
