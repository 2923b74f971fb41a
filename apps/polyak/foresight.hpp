#pragma once

// What a solve would do and what memory it would take, before it is done.

#include "messages.hpp"
#include "polyak/problem.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

/// With --dry-run: tells what would be done, from sizes alone, and returns
/// true. Otherwise refuses (Error out_of_memory) an A that cannot be held.
bool foresee(const SolveRequest& request, Messages& messages);

/// A is there; refuses (Error out_of_memory) a method that takes more memory
/// beside it than there is, or than --memory allows.
void check_memory(const SolveRequest& request, const Problem& problem);

}  // namespace polyak::cli
