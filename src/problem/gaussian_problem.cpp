#include <utility>

#include "problem/planted.hpp"

namespace polyak {

GeneratedProblem generate(const GaussianProblem& problem, const GenerateOptions& options) {
  require_size("rows", problem.rows, 1);
  require_size("cols", problem.cols, 1);
  require_options(options);
  std::vector<double> values = dense_storage(problem.rows, problem.cols);
  ThreadTeam team(options.threads);
  const Random random(options.seed, stream::entries);
  for_row_ranges(problem.rows, team, [&](Index first, Index last) {
    fill_normal(random, first, last, {values.data(), problem.rows, problem.cols, problem.cols});
  });
  return plant(dense_matrix(std::move(values), problem.rows, problem.cols),
               normal_solution(problem.cols, options), options, team);
}

}  // namespace polyak
