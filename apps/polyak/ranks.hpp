#pragma once

// The processes that solve one problem together: polyak is one of one, and
// polyak-mpi (petsc/mpi_ranks.cpp) one of as many as mpirun has started. All
// run the same program on rows of their own; rank 0 writes and speaks.

#include <functional>
#include <string>

#include "polyak/problem.hpp"

namespace polyak::cli {

int rank();
int rank_count();

/// Work that may fail on one rank alone, like reading a file: every rank leaves
/// with the Error of the lowest that had one.
void together(const std::function<void()>& work);

/// Leaves this rank its rows of A and b. `path`: where A came from.
void share_rows(ProblemData& data, const std::string& path);

}  // namespace polyak::cli
