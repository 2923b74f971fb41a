#pragma once

// The processes that solve one problem. polyak is a single process, rank 0 of 1
// (one_rank.cpp); polyak-mpi has as many ranks as mpirun started
// (mpi/program_ranks.cpp). Every rank holds a part of the rows of A and runs the
// same code; only rank 0 writes files and messages.

#include <functional>
#include <span>

#include "polyak/problem.hpp"
#include "program.hpp"

namespace polyak::cli {

int rank();
int rank_count();

/// Collective. Runs work that may fail on a single rank, such as reading a file.
/// If it throws on any rank, every rank throws the Error of the lowest such rank.
void run_collectively(const std::function<void()>& work);

/// Collective: an allreduce. Each number becomes its sum over all ranks.
void sum_over_ranks(std::span<double> numbers);

/// Collective. Error bad_data if the ranks have read problems of different sizes.
/// `rows` is the number of rows of the whole problem.
void check_same_sizes(const ProblemData& data, Index rows);

/// Collective. On entry A holds the rows of this rank, which start at row `first`
/// of `rows`, and b has `rows` rows. On return A represents the whole matrix, and
/// b holds the rows of this rank only.
void join_rows(ProblemData& data, Index first, Index rows);

/// In polyak (mpirun.cpp): if mpirun started several processes of `polyak solve`,
/// replaces this process by polyak-mpi and does not return. Error usage if the
/// program polyak-mpi is not in the same folder.
void start_polyak_mpi(const Words& words, char** argv);

/// In polyak: true unless mpirun started this process as a rank other than 0.
/// Then an error is reported once, not once per process.
bool reports_errors_under_mpirun();

}  // namespace polyak::cli
