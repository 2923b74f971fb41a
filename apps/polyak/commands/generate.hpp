#pragma once

// The options and kinds of `polyak generate`.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.hpp"
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
  unsigned traits;  ///< which options it uses; compared with `needs` of the table
  GeneratedProblem (*make)(const GenerateRequest&);
};

const std::vector<GenerateKind>& generate_kinds();
const std::vector<OptionRecord<GenerateRequest>>& generate_options();

/// The kind that the request names. Error usage for an unknown kind, for an option
/// that the kind does not use, and without --output.
const GenerateKind& check_generate(const GenerateRequest& request, const OptionSet& options,
                                   const std::set<std::string>& given);

}  // namespace polyak::cli
