#pragma once

// Options from a TOML file: one key per option, named as on the command line
// (underscores do as well as dashes).

#include <set>
#include <string>

#include "option_set.hpp"

namespace polyak::cli {

/// Sets what the file holds and returns the names. Error usage for a key that
/// is no option of the command, no_input when there is no such file.
std::set<std::string> apply_config(const std::string& path, const OptionSet& options,
                                   const std::string& command);

}  // namespace polyak::cli
