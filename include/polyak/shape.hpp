#pragma once

/// \file shape.hpp
/// What is known of a problem before its values are read: enough to predict
/// what solving it takes.

#include "polyak/problem.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct ProblemShape {
  Index rows = 0, cols = 0, right_hand_sides = 1;
  Index nonzeros = 0;  ///< stored entries: rows·cols of a dense A
  double bytes = 0.0;  ///< that reading all of A once takes from memory
  bool weighted = false;
  bool ridge = false;
  bool bounds = false;
  Index ranks = 1;        ///< that share the rows
  double products = 0.0;  ///< RowMatrix::gram_products; 0 where rows were not counted yet

  bool dense() const { return nonzeros == rows * cols; }
  /// Those, or what they are at least.
  double gram_products() const;
};

ProblemShape shape_of(const Problem& problem);

}  // namespace polyak
#pragma GCC visibility pop
