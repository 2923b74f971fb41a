#pragma once

// Row sampling as one would write it in an afternoon: the peers of Sampler.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::bench {

/// Binary search on the running sums of the weights, then std::sort.
class SearchSampler {
 public:
  explicit SearchSampler(std::span<const double> weights);
  void draw(std::mt19937_64& generator, std::span<Index> rows) const;

 private:
  std::vector<double> sums_;
};

/// Vose's alias table, then std::sort.
class AliasSampler {
 public:
  explicit AliasSampler(std::span<const double> weights);
  void draw(std::mt19937_64& generator, std::span<Index> rows) const;

 private:
  struct Cell {
    double own;   // the part of the cell that is the row itself
    Index other;  // whose the rest is
  };
  std::vector<Cell> cells_;
};

}  // namespace polyak::bench
