#include "polyak/shape.hpp"

#include <algorithm>

#include "polyak/ranks.hpp"

namespace polyak {

// Of all matrices with so many entries, rows of equal length give the fewest
// products.
double ProblemShape::gram_products() const {
  const auto entries = static_cast<double>(nonzeros);
  return products > 0.0 ? products
                        : entries * entries / static_cast<double>(std::max<Index>(1, rows));
}

ProblemShape shape_of(const Problem& problem) {
  const auto disk = disk_use(problem.A());
  return {.rows = problem.rows(),
          .cols = problem.cols(),
          .right_hand_sides = problem.right_hand_sides(),
          .nonzeros = problem.A().nonzeros(),
          .bytes = problem.A().bytes(),
          .weighted = !problem.weights().empty(),
          .shared_weights = !problem.data().shared_weights.empty(),
          .ridge = problem.ridge() > 0.0,
          .bounds = problem.has_bounds(),
          .ranks = partition(problem.A()).ranks(),
          .disk = disk ? disk->rates : std::nullopt,
          .products = problem.A().gram_products()};
}

}  // namespace polyak
