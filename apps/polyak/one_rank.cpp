#include "ranks.hpp"

namespace polyak::cli {

int rank() { return 0; }
int rank_count() { return 1; }
void together(const std::function<void()>& work) { work(); }
void sum_over_ranks(std::span<double>) {}
void share_rows(ProblemData&, const std::string&) {}
void join_rows(ProblemData&, Index, Index) {}

}  // namespace polyak::cli
