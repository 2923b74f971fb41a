#pragma once

// What a few rows say of the tolerance, at a hundredth of the price of a
// measurement. They can rule the tolerance out; that it is met is for all rows
// to say. docs/theory.md, "Checks".

#include <vector>

#include "polyak/problem.hpp"
#include "sampling/batches.hpp"
#include "solve/run/monitor.hpp"

namespace polyak {

struct Glimpse {
  bool above = false;     ///< the tolerance is not met; wrong with probability RowEstimate::doubt
  bool near = false;      ///< for all the rows know, ‖r‖ meets it
  double distance = 0.0;  ///< as Measured::distance, where above
};

class RowEstimate {
 public:
  /// Of a check that is left out although the tolerance is met.
  static constexpr double doubt = 0.01;

  /// Whether so few rows would do, and say anything: bounds change what of the
  /// gradient counts, row by row that is not seen.
  static bool pays(const Problem& problem);

  /// Rows are drawn by the sampler of the run, as draws of their own.
  RowEstimate(const Problem& problem, const MatrixFacts& facts, Products& products,
              const Monitor& monitor, const Sampler& sampler, std::uint64_t seed,
              std::uint64_t stream);

  /// At iteration k. Ranks call this together.
  Glimpse at(Index k, ConstView x);
  /// What one of them reads.
  Index rows() const { return 2 * drawer_.batch(); }

 private:
  // Sums over the rows drawn, of one right-hand side: of ω·r² and of ω·r·uᵀã
  // with ω = w/(m·p), and of m times their squares.
  struct Sums {
    double residual = 0.0, residual_squares = 0.0, slope = 0.0, slope_squares = 0.0;
  };
  void find_direction(Index k, ConstView x);
  std::vector<Sums> add_rows(Index k, ConstView x);
  Sums add(Index row, double weight, Index c, const double* products) const;

  const Problem& problem_;
  const MatrixFacts& facts_;
  Products& products_;
  const Monitor& monitor_;
  Random random_;
  BatchDrawer drawer_;
  std::vector<double> both_;  // x and below it u, 2c × d
};

}  // namespace polyak
