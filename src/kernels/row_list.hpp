#pragma once

#include "polyak/types.hpp"

namespace polyak::kernels {

/// A list of `count` rows: those named by `index`, or, where that is null, the
/// first ones. `weights` null means 1.
struct RowList {
  Index count;
  const Index* index;
  const double* weights;

  Index row(Index t) const { return index ? index[t] : t; }
  double weight(Index t) const { return weights ? weights[t] : 1.0; }
};

}  // namespace polyak::kernels
