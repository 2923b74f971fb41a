#pragma once

// A report for people.

#include "polyak/report.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

/// A dozen lines: how it ended, what was used, what it cost. `names` are those
/// of the unknowns, empty when nobody named them; `written` are the files.
std::string summary(const Report& report, const std::vector<std::string>& names,
                    const OutputOptions& outputs, const std::vector<std::string>& written);

}  // namespace polyak::cli
