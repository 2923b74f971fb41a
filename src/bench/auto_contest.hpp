#pragma once

// The contest of `bench auto`: auto against every method by name, on varied problems.

#include <string>
#include <vector>

#include "polyak/bench.hpp"

namespace polyak::bench {

/// "0:9" or "7", and "all", "even" or "odd". Error usage for anything else, and where no
/// seed is left.
std::vector<std::uint64_t> seeds_of(const std::string& range, const std::string& parity);

/// What the project wants of auto on problems it was not tuned on.
std::vector<Goal> varied_verdict(const std::vector<VariedCase>& cases);

/// auto's seconds over those of the best good method; where auto's own x is not good, or
/// no method by name did it, nothing.
std::optional<double> times_of_best(const VariedCase& one);

std::string varied_text(const std::vector<VariedCase>& cases);

}  // namespace polyak::bench
