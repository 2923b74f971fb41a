#pragma once

// Words on a command line become values in an OptionSet.

#include <set>
#include <string>
#include <vector>

#include "option_set.hpp"

namespace polyak::cli {

/// What a command says about itself.
struct Usage {
  std::string command;                   ///< "solve"
  std::vector<std::string> positionals;  ///< names for messages: "A", "b"
  std::size_t required = 0;              ///< how many of them must be there
  std::string text;                      ///< help: what it does and how it is called
  std::string ending;                    ///< help: after the options, examples
  std::vector<std::string> written = {}; ///< those positionals that are outputs; others are read
};

struct Parsed {
  std::vector<std::string> positionals;
  std::set<std::string> given;  ///< names of options set here or in the config file
  bool help = false;            ///< nothing else was looked at
};

/// Sets the options from the file named by --config, then from the words, so
/// that the command line wins. Error usage for anything that does not fit, and where an
/// output would replace an input or another output.
Parsed parse(const std::vector<std::string>& words, const OptionSet& options, const Usage& usage);

/// Error usage: no such option, with the nearest name as a hint.
[[noreturn]] void refuse_unknown(const std::string& where, const std::string& name,
                                 const std::string& what, const std::string& dashes,
                                 const OptionSet& options, const std::string& command);

/// The help of a command.
std::string help_text(const Usage& usage, const OptionSet& options);

}  // namespace polyak::cli
