#pragma once

// No command may write over a file that it reads, or two of its outputs into one: which
// options and arguments name files, and which of those are written, stands in their tables.

#include "command_line.hpp"

namespace polyak::cli {

/// Error usage when an output is one of the inputs or another output, by name or as the same
/// file on disk (links of either kind). "-" and devices may stand for several inputs or for
/// an input and an output, but not for two outputs.
void check_files(const std::vector<std::string>& positionals, const OptionSet& options,
                 const Usage& usage);

}  // namespace polyak::cli
