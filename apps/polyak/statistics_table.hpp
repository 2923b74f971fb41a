#pragma once

// Statistics for people.

#include <string>
#include <vector>

#include "polyak/report.hpp"

namespace polyak::cli {

/// How well the data are fitted, in one line; of several right-hand sides, the
/// first numbers are told side by side.
std::string statistics_line(const Statistics& statistics);

/// A line per unknown: name, estimate, standard error and t value; a block per
/// right-hand side. "-" stands where there is no such number.
std::string statistics_table(const Report& report, const std::vector<std::string>& names);

}  // namespace polyak::cli
