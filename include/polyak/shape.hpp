#pragma once

/// \file shape.hpp
/// What is known of a problem before its values are read: enough to predict
/// what solving it takes.

#include "polyak/problem.hpp"

namespace polyak {

struct ProblemShape {
  Index rows = 0, cols = 0, right_hand_sides = 1;
  Index nonzeros = 0;  ///< stored entries: rows·cols of a dense A
  double bytes = 0.0;  ///< that reading all of A once takes from memory
  bool weighted = false;
  bool ridge = false;
  bool bounds = false;
  Index ranks = 1;        ///< that share the rows
  bool made_rows = false; ///< of a sparse A that is not stored: they are made when asked for

  bool dense() const { return nonzeros == rows * cols; }
};

ProblemShape shape_of(const Problem& problem);

}  // namespace polyak
