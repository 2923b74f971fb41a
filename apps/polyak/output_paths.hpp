#pragma once

// Whether a file could be written, found out before the work is done.

#include <initializer_list>
#include <string>

namespace polyak::cli {

/// Error usage when the ending is none of these (an empty list takes any), io
/// when no file can be made there. "-" and devices always pass.
void check_output(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings = {});

/// Error usage when both are the same file, whatever its names, or both "-".
void check_different(const std::string& a, const std::string& b, const std::string& what);

/// Quoted for a shell where it needs to be.
std::string shell_word(const std::string& text);

}  // namespace polyak::cli
