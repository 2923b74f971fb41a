#pragma once

// Checks of the files that a command names, before any work is done.

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace polyak::cli {

/// Error usage if the ending is none of these (an empty list accepts any), io if no
/// file can be created there. Of streams (polyak/files.hpp) any ending passes.
void check_output(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings = {});

/// Error usage if an output is also an input or another output: by the options that name files
/// and by the files that follow from them (images on the way, the files beside a checkpoint, the
/// matrices in a folder), and with standard input and output. From here on every output of the
/// process is compared with these files when it is opened (polyak/files.hpp). The option tables
/// say which options name files, and which of them are written.
void check_files(const std::vector<std::string>& positionals, const OptionSet& options,
                 const Usage& usage);

/// The files that a pattern with *, ? or [ matches, in the order of their bytes; a name without
/// these, or of a file that exists, is itself.
std::vector<std::string> matching_files(const std::string& pattern);

/// Quoted for a shell if necessary.
std::string shell_word(const std::string& text);

}  // namespace polyak::cli
