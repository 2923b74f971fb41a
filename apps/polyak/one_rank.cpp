#include "ranks.hpp"

// A file of its own: polyak-mpi links mpi/program_ranks.cpp in its place.

namespace polyak::cli {

int rank() { return 0; }
int rank_count() { return 1; }
void run_collectively(const std::function<void()>& work) { work(); }
void sum_over_ranks(std::span<double>) {}
void check_same_sizes(const ProblemData&, Index) {}
void join_rows(ProblemData&, Index, Index) {}

}  // namespace polyak::cli
