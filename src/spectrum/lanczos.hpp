#pragma once

// Lanczos with full reorthogonalisation on a symmetric positive operator.

#include <functional>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "polyak/types.hpp"

namespace polyak {

struct RitzValues {
  std::vector<double> values;  ///< ascending
  bool exhausted = false;      ///< the Krylov space is invariant: the values are eigenvalues
};

/// apply(v, out): out = H v.
RitzValues lanczos(Index d, Index steps, const Random& random,
                   const std::function<void(std::span<const double>, std::span<double>)>& apply);

}  // namespace polyak
