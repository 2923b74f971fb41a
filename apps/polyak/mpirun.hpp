#pragma once

// Started by mpirun, `polyak solve` becomes polyak-mpi; polyak itself never
// touches MPI.

#include "commands.hpp"

namespace polyak::cli {

/// Does not return where several processes were started to solve together and
/// polyak-mpi stands beside this program; Error usage when it does not.
void hand_over_to_ranks(const Words& words, char** argv);

/// One of them is enough to tell an error.
bool speaks_under_mpirun();

}  // namespace polyak::cli
