#pragma once

// Checks of the files that a command names, before any work is done.

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace polyak::cli {

/// Error usage if the ending is none of these (an empty list accepts any), io if no
/// file can be created there. "-" and devices always pass.
void check_output(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings = {});

/// Error usage with `what` if both are the same file, by name or through links, or
/// both are "-".
void check_different(const std::string& a, const std::string& b, const std::string& what);

/// Error usage if an output is also an input or another output, by name or as the
/// same file on disk (hard or symbolic link). "-" and devices may stand for several
/// inputs, or for an input and an output, but not for two outputs. The option tables
/// say which options name files, and which of them are written.
void check_files(const std::vector<std::string>& positionals, const OptionSet& options,
                 const Usage& usage);

/// Quoted for a shell if necessary.
std::string shell_word(const std::string& text);

}  // namespace polyak::cli
