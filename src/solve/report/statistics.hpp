#pragma once

// Residual variance and standard errors of a solved problem.

#include "polyak/problem.hpp"
#include "polyak/report.hpp"

namespace polyak::internal {

/// Fills report.statistics for report.x where report.asked wants them, and
/// adds what that costs and what must be said about it. Reads A twice.
Report with_statistics(const Problem& problem, Report report);

}  // namespace polyak::internal
