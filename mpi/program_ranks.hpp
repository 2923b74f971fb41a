#pragma once

// The ranks of polyak-mpi: MPI from start to end, and the state behind apps/polyak/ranks.hpp.

#include <mpi.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cli/messages.hpp"
#include "polyak/error.hpp"
#include "polyak/problem.hpp"

namespace polyak::cli {

/// The processes that mpirun started. main() makes the only one and owns it. The functions of
/// apps/polyak/ranks.hpp (rank(), run_collectively(), …) call it through a pointer;
/// program_ranks.cpp says why there is no other way.
class ProgramRanks {
 public:
  /// Starts MPI. From here on only the output of rank 0 is visible.
  ProgramRanks(int* argc, char*** argv);
  ~ProgramRanks();
  ProgramRanks(const ProgramRanks&) = delete;
  ProgramRanks& operator=(const ProgramRanks&) = delete;

  /// Standard error as mpirun passed it, for messages of any rank.
  int error_output() const { return error_output_; }

  /// Ends MPI and returns the exit code, the same on every rank. An error of any rank ends
  /// all of them with one line: at once if every rank has reached this call, otherwise (the
  /// others wait in an allreduce) by MPI_Abort after a few seconds.
  int end(int code, const std::optional<Error>& error, Messages& messages);

  // Documented in apps/polyak/ranks.hpp.
  int rank() const { return rank_; }
  int count() const { return count_; }
  void run_collectively(const std::function<void()>& work);
  void sum(std::span<double> numbers);
  void check_same_sizes(const ProblemData& data, Index rows);
  void join_rows(ProblemData& data, Index first, Index rows);

 private:
  void silence_output();
  void print_error(const Error& error, Messages& messages) const;
  std::string broadcast(const std::string& text, int sender) const;
  Error broadcast(const std::optional<Error>& own, int sender) const;

  // Two communicators: messages of the solver and of the program cannot be confused.
  MPI_Comm for_solver_ = MPI_COMM_NULL, for_program_ = MPI_COMM_NULL;
  int rank_ = 0, count_ = 1;
  int error_output_;
};

}  // namespace polyak::cli
