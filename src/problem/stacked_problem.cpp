#include <cmath>
#include <utility>

#include "problem/planted.hpp"

namespace polyak {

GeneratedProblem generate(const StackedProblem& problem, const GenerateOptions& options) {
  require_size("copies", problem.copies, 1);
  require_options(options);
  const double c = std::cos(1.2), s = std::sin(1.2);
  const double u[2][2] = {{c, -s}, {s, c}};
  const double sigma[2] = {1.0, 2.25};
  std::vector<double> values = dense_storage(problem.copies, 4);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t i = k / 2 % 2, j = k % 2;
    values[k] = u[0][i] * sigma[0] * u[0][j] + u[1][i] * sigma[1] * u[1][j];
  }
  ThreadTeam team(options.threads);
  auto result =
      plant(dense_matrix(std::move(values), 2 * problem.copies, 2), {0.0, 0.0}, options, team);
  const auto copies = static_cast<double>(problem.copies);
  result.squared_singular_values = {copies * sigma[0] * sigma[0], copies * sigma[1] * sigma[1]};
  return result;
}

}  // namespace polyak
