#pragma once

/// \file shape.hpp
/// The sizes of a problem, known before its values are read: enough to predict
/// time and memory of a solve.

#include "polyak/disk_rows.hpp"
#include "polyak/problem.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct ProblemShape {
  Index rows = 0, cols = 0, right_hand_sides = 1;
  Index nonzeros = 0;  ///< stored entries: rows·cols of a dense A
  double bytes = 0.0;  ///< read from memory in one pass over A
  bool weighted = false;
  bool shared_weights = false;  ///< ProblemData::shared_weights: never copied
  bool ridge = false;
  bool bounds = false;
  Index ranks = 1;                     ///< that share the rows
  std::optional<DiskRates> disk = {};  ///< where rows are read when they are used
  double products = 0.0;               ///< RowMatrix::gram_products; 0 where not counted yet

  bool dense() const { return nonzeros == rows * cols; }
  /// `products`, or a lower bound where they were not counted.
  double gram_products() const;
};

ProblemShape shape_of(const Problem& problem);

}  // namespace polyak
#pragma GCC visibility pop
