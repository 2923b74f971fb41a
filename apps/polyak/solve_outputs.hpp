#pragma once

// Everything a solve leaves behind.

#include "messages.hpp"
#include "polyak/report.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

/// Writes x, report, history and statistics, then says how it went. A history
/// that cannot be written is a warning; any other file that cannot is an Error
/// io, thrown once the rest is done.
void write_outputs(const SolveRequest& request, const std::vector<std::string>& names,
                   int exit_code, Report& report, Messages& messages);

}  // namespace polyak::cli
