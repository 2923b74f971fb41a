#pragma once

// MPI from start to end, for polyak-mpi.

#include <optional>

#include "cli/messages.hpp"
#include "polyak/error.hpp"

namespace polyak::cli {

/// Starts MPI. From here on only rank 0 is heard.
void start_ranks(int* argc, char*** argv);

/// Standard error as mpirun gave it, for what any rank may have to say.
int error_output();

/// Ends MPI and returns the exit code, the same on every rank. An error of any
/// rank ends all of them, and one line tells it: at once where every rank has
/// got here, otherwise (the others wait for sums that will not come) after a
/// few seconds and by force.
int end_ranks(int code, const std::optional<Error>& error, Messages& messages);

}  // namespace polyak::cli
