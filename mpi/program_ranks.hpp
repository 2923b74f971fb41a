#pragma once

// MPI from start to end, for polyak-mpi.

#include <optional>

#include "cli/messages.hpp"
#include "polyak/error.hpp"

namespace polyak::cli {

/// Starts MPI. From here on only the output of rank 0 is visible.
void start_ranks(int* argc, char*** argv);

/// Standard error as mpirun passed it, for messages of any rank.
int error_output();

/// Ends MPI and returns the exit code, the same on every rank. An error of any rank ends
/// all of them with one line: at once if every rank has reached this call, otherwise (the
/// others wait in an allreduce) by MPI_Abort after a few seconds.
int end_ranks(int code, const std::optional<Error>& error, Messages& messages);

}  // namespace polyak::cli
