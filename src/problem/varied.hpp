#pragma once

// Problems of many kinds by seed: what a kind is made of. The parameters of a
// problem are drawn first and are cheap; the matrix is made when it is asked for.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/generate.hpp"

namespace polyak::varied {

/// Streams of a seed beside those that all generators share.
namespace streams {
constexpr std::uint64_t parameters = stream::entries + 2;
constexpr std::uint64_t scales = stream::entries + 3;  // of rows, columns or levels
}  // namespace streams

/// Parameters, one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, streams::parameters) {}

  double between(double low, double high) {
    return low + (high - low) * random_.uniform(0, next_++);
  }
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  Index count_between(Index low, Index high);  ///< both included, even in the logarithm
  /// What few entries are: none for one problem in four, for the others this many.
  double few_entries(double many) { return chance(0.25) ? 0.0 : many; }
  bool chance(double probability) { return between(0.0, 1.0) < probability; }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

struct Shape {
  Index rows = 0, cols = 0;
};

struct Limits {
  Index least_cols, most_cols;
  double least_ratio;  ///< rows for each column
  double most_rows = 300e3;
  double most_entries = 1e7;  ///< n·d, 80 MB
  double most_work = 1e10;    ///< n·d², which is half the operations of AᵀA
};
/// Columns and then rows, even in their logarithm. One problem in four may be tiny, the
/// others have 300,000 entries or more where the limits allow it; one in twelve may have four
/// times the entries and work.
Shape dense_shape(Draws& draws, const Limits& limits);

struct Made {
  MatrixPtr A;
  std::vector<double> units;  ///< x_j is a normal number over units[j]; empty means 1
};

struct Recipe {
  Shape shape;
  std::string text;  ///< the parameters, for people
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
// Rows by their entries (varied_sparse.cpp):
Recipe sparse(Draws& draws);
Recipe binary(Draws& draws);
Recipe one_hot(Draws& draws);
Recipe banded(Draws& draws);
Recipe counts(Draws& draws);

/// A, b and the planted x; x_least_squares and residual_norm are left out.
GeneratedProblem system_of(std::uint64_t seed, ThreadTeam& team);

}  // namespace polyak::varied
