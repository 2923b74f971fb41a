#pragma once

// What `polyak generate` is asked for.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "option_set.hpp"
#include "polyak/generate.hpp"

namespace polyak::cli {

struct GenerateRequest {
  std::string kind;
  Index rows = 20'000;
  Index cols = 100;
  std::string decay = "exponential";
  double rho = 0.5;
  double kappa = 100.0;
  Index copies = 100;
  bool dense = false;
  double noise = 0.0;
  std::uint64_t seed = 0;
  Index threads = 0;
  std::optional<std::string> output;
};

struct GenerateKind {
  std::string name;
  std::string summary;
  unsigned traits;  ///< which options it heeds, as `needs` of the table
  GeneratedProblem (*make)(const GenerateRequest&);
};

const std::vector<GenerateKind>& generate_kinds();
const std::vector<OptionRecord<GenerateRequest>>& generate_options();

/// Error usage for a kind that does not exist, an option it would ignore, and
/// a folder that is missing.
const GenerateKind& check_generate(const GenerateRequest& request, const OptionSet& options,
                                   const std::set<std::string>& given);

}  // namespace polyak::cli
