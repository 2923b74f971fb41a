#pragma once

#include "polyak/bench.hpp"

namespace polyak::bench {

/// The project's goals that these tables say something about.
std::vector<Goal> goals_for(const std::vector<Table>& tables);

}  // namespace polyak::bench
