#pragma once

// Has it stopped getting better? Compares where the last half of the work was
// spent with the three eighths before it. A minibatch run on inconsistent data
// ends in such a plateau, its convergence horizon; a flat residual is never
// called convergence.

#include <cmath>
#include <vector>

#include "polyak/types.hpp"

namespace polyak {

class Plateau {
 public:
  /// `patience`: iterations below which nothing is concluded, so that the
  /// first swing of a momentum method is not mistaken for the end.
  explicit Plateau(double patience) : patience_(patience) {}

  void measured(Index iteration, double distance) {
    seen_.push_back({static_cast<double>(iteration), std::log(distance)});
  }

  /// The mean logarithm fell by less than log(1/0.7) while the work more than
  /// doubled. Means, because at the horizon single measurements scatter.
  bool reached() const {
    if (seen_.empty() || seen_.back().iteration < patience_) return false;
    const double end = seen_.back().iteration;
    Mean before, after;
    for (const Point& p : seen_) {
      if (p.iteration > 0.5 * end)
        after.add(p.level);
      else if (p.iteration > 0.125 * end)
        before.add(p.level);
    }
    return before.count >= 3 && after.count >= 3 && after.value() > before.value() + std::log(0.7);
  }

 private:
  struct Point {
    double iteration, level;
  };
  struct Mean {
    double sum = 0.0;
    int count = 0;
    void add(double v) { sum += v, ++count; }
    double value() const { return sum / count; }
  };
  double patience_;
  std::vector<Point> seen_;
};

}  // namespace polyak
