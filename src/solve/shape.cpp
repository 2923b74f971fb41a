#include "polyak/shape.hpp"

#include "spectrum/sparse_gram.hpp"

namespace polyak {

ProblemShape shape_of(const Problem& problem) {
  ProblemShape out{.rows = problem.rows(),
          .cols = problem.cols(),
          .right_hand_sides = problem.right_hand_sides(),
          .nonzeros = problem.A().nonzeros(),
          .bytes = problem.A().bytes(),
          .weighted = !problem.weights().empty(),
          .ridge = problem.ridge() > 0.0,
          .bounds = problem.has_bounds(),
          .ranks = problem.A().share().ranks};
  out.made_rows = !out.dense() && !is_csr(*problem.A().share().rows);
  return out;
}

}  // namespace polyak
