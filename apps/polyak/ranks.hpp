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

/// Every rank calls this with what it has read of one problem of `rows` rows; those of
/// different sizes are refused.
void check_same_sizes(const ProblemData& data, Index rows);

/// Each rank has its rows of A, those from `first` on of `rows` in all: A becomes the
/// whole, and b, as tall as the whole, is left its rows.
void join_rows(ProblemData& data, Index first, Index rows);

}  // namespace polyak::cli
