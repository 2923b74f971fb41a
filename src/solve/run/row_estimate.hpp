#pragma once

// A test of the tolerance on a few rows, at a hundredth of the cost of a measurement. It can show
// that the tolerance is not met; that it is met only a measurement of all rows can show.
// docs/theory.md, "Checks".

#include <vector>

#include "polyak/problem.hpp"
#include "sampling/batches.hpp"
#include "solve/run/monitor.hpp"

namespace polyak::internal {

struct RowTest {
  bool above = false;     ///< the tolerance is not met; wrong with probability RowEstimate::doubt
  bool near = false;      ///< by these rows ‖r‖ may meet it
  double distance = 0.0;  ///< as Measured::distance, if above
};

class RowEstimate {
 public:
  /// Probability that a measurement is left out although the tolerance is met.
  static constexpr double doubt = 0.01;

  /// Whether a few rows are a small part of A, and the test applies: with bounds only a part of
  /// the gradient counts, which single rows do not show.
  static bool pays(const Problem& problem);

  /// Rows are drawn by the sampler of the run, with random numbers of their own.
  RowEstimate(const Problem& problem, const MatrixFacts& facts, Products& products,
              const Monitor& monitor, const Sampler& sampler, std::uint64_t seed,
              std::uint64_t stream);

  /// At iteration k. Collective.
  RowTest at(Index k, ConstView x);
  /// Rows that one test reads.
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

}  // namespace polyak::internal
