#pragma once

// Has it stopped getting better? Compares the best of the last half of the
// work with the best before it. A minibatch run on inconsistent data ends in
// such a plateau, its convergence horizon; a flat residual is never called
// convergence.

#include <algorithm>
#include <limits>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

class Plateau {
 public:
  /// `patience`: iterations below which nothing is concluded, so that the
  /// first swing of a momentum method is not mistaken for the end.
  explicit Plateau(double patience) : patience_(patience) {}

  void measured(Index iteration, double distance) { seen_.push_back({iteration, distance}); }

  bool reached() const {
    if (seen_.empty() || static_cast<double>(seen_.back().iteration) < patience_) return false;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double before = infinity, after = infinity;
    int recent = 0;
    for (const Point& p : seen_) {
      const bool late = 2 * p.iteration > seen_.back().iteration;
      (late ? after : before) = std::min(late ? after : before, p.distance);
      recent += late;
    }
    return recent >= 4 && after > 0.7 * before;
  }

 private:
  struct Point {
    Index iteration;
    double distance;
  };
  double patience_;
  std::vector<Point> seen_;
};

}  // namespace polyak
