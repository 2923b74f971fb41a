#pragma once

// The processes that solve one problem together: polyak is one of one, and
// polyak-mpi (petsc/mpi_ranks.cpp) one of as many as mpirun has started. All
// run the same program on rows of their own; rank 0 writes and speaks.

#include <functional>
#include <span>
#include <string>

#include "polyak/problem.hpp"

namespace polyak::cli {

int rank();
int rank_count();

/// Work that may fail on one rank alone, like reading a file: every rank leaves
/// with the Error of the lowest that had one.
void together(const std::function<void()>& work);

/// Each number becomes its sum over all ranks; every rank calls it.
void sum_over_ranks(std::span<double> numbers);

/// Leaves this rank its rows of A and b. `path`: where A came from.
void share_rows(ProblemData& data, const std::string& path);

/// The same where each rank has read its rows only: those of A from `first` on,
/// of `rows` in all. b is as tall as the whole.
void join_rows(ProblemData& data, Index first, Index rows);

}  // namespace polyak::cli
