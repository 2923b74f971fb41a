#pragma once

// The subject plan: what `polyak plan` promises beside what happens.

#include <string>
#include <vector>

#include "core/thread_team.hpp"
#include "polyak/bench.hpp"
#include "polyak/generate.hpp"
#include "polyak/options.hpp"

namespace polyak::bench {

/// The factor that a promise may be off by, by the first word of its kind: "exact" 1.01,
/// "proved" and "bound" 1 (bounds from above), "model" 2, "estimate" 4, "timed" 3.
double allowed_factor(const std::string& kind);

/// Everything the plan of this problem promises that can be tried within `limit_s` seconds
/// each: the ends of the spectrum and the rank, the residual of the solution, for each method
/// of its table the iterations and seconds, that the recommended one converges, and what auto
/// takes.
std::vector<Promise> promises_of(std::uint64_t seed, const std::string& text,
                                 const GeneratedProblem& problem, const SolveOptions& options,
                                 double limit_s, ThreadTeam& team);

std::vector<Goal> promise_verdict(const std::vector<Promise>& promises);
/// Those that are broken, the worst first.
std::string promise_text(const std::vector<Promise>& promises);

}  // namespace polyak::bench
