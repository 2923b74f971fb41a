#pragma once

// The parts of a spec, each read from its own table.

#include "experiments/spec.hpp"
#include "experiments/toml_table.hpp"

namespace polyak::experiments {

std::uint64_t read_seed(TomlTable& t, std::uint64_t fallback);
ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed);
PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed);
SeriesSpec read_series(TomlTable t);
ClaimSpec read_claim(TomlTable t);

}  // namespace polyak::experiments
