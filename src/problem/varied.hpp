#pragma once

// The kinds of generate_varied. A kind first draws the parameters of a problem, which is
// cheap, and returns a function that makes the matrix.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/generate.hpp"

namespace polyak::internal::varied {

/// Random streams in addition to those that all generators use.
namespace streams {
constexpr std::uint64_t parameters = stream::entries + 2;
constexpr std::uint64_t scales = stream::entries + 3;  // of rows, columns or levels
}  // namespace streams

/// Draws the parameters of a problem, one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, streams::parameters) {}

  double between(double low, double high) {
    return low + (high - low) * random_.uniform(0, next_++);
  }
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  Index count_between(Index low, Index high);  ///< both included, uniform in the logarithm
  /// A lower bound for the number of entries: 0 for one problem in four, else `many`.
  double min_entries(double many) { return chance(0.25) ? 0.0 : many; }
  bool chance(double probability) { return between(0.0, 1.0) < probability; }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

struct Shape {
  Index rows = 0, cols = 0;
};

struct Limits {
  Index min_cols, max_cols;
  double min_ratio;  ///< least number of rows per column
  double max_rows = 300e3;
  double max_entries = 1e7;  ///< n·d, 80 MB
  double max_work = 1e10;    ///< n·d², half the operations of AᵀA
};
/// Draws columns, then rows, uniform in the logarithm. One problem in four may be tiny; the
/// others have at least 300,000 entries where the limits allow it. One in twelve may have four
/// times the limits of entries and work.
Shape dense_shape(Draws& draws, const Limits& limits);

struct Made {
  MatrixPtr A;
  std::vector<double> units;  ///< the planted x_j is N(0, 1)/units[j]; empty means 1
};

struct Recipe {
  Shape shape;
  std::string text;  ///< the parameters in words
  std::function<Made(std::uint64_t seed, ThreadTeam& team)> make;
};

// The kinds. Dense rows (varied_dense.cpp):
Recipe spectrum(Draws& draws);
Recipe near_square(Draws& draws);
Recipe skewed(Draws& draws);
Recipe polynomial(Draws& draws);
Recipe lagged(Draws& draws);
Recipe blurred(Draws& draws);
Recipe offset(Draws& draws);
// Sparse rows (varied_sparse.cpp):
Recipe sparse(Draws& draws);
Recipe binary(Draws& draws);
Recipe one_hot(Draws& draws);
Recipe banded(Draws& draws);
Recipe counts(Draws& draws);

/// A, b and the planted x, without x_least_squares and residual_norm.
GeneratedProblem system_of(std::uint64_t seed, ThreadTeam& team);

}  // namespace polyak::internal::varied
