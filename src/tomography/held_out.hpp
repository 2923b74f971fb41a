#pragma once

// Rays that are kept from a fit, so that they can judge it: noise that is fitted
// does not help to predict them.

#include <vector>

#include "polyak/problem.hpp"

namespace polyak::tomography {

/// Squared, weighted errors of an image at the rays that were held out.
using Squares = std::vector<double>;

/// mean(a − b) in standard errors of it, the rays being independent; 0 where there
/// is no difference.
double standard_errors_above(const Squares& a, const Squares& b);

class HeldOut {
 public:
  /// One of ten rays that count (`row_sums` and weight above 0), one of five where
  /// there are less than 10000, drawn by the seed.
  HeldOut(const Problem& problem, const std::vector<double>& row_sums, std::uint64_t seed);

  Index count() const { return std::ssize(rays_); }
  /// The weights of a fit without them.
  const std::vector<double>& weights() const { return weights_; }
  /// Of an image whose projections are these.
  Squares squares(const std::vector<double>& projections) const;
  /// √(Σ squares/Σ weights): the error of a ray of weight 1.
  double error(const Squares& squares) const;

 private:
  const Problem& problem_;
  std::vector<Index> rays_;
  std::vector<double> own_, weights_;  // own: of the rays that are held out
};

/// Which of the fits, from smooth to rough, predicts held-out rays best: the first
/// that is not worse than the best by more than two standard errors. Errors of the
/// pixel model are much alike in neighbouring rays, so that a rougher image predicts
/// them a little better without being a better one; two standard errors ignore that.
std::size_t smoothest_of_the_best(const std::vector<Squares>& fits);

/// The last fits are worse than the best by more: going on is of no use.
bool past_the_best(const std::vector<Squares>& fits);

}  // namespace polyak::tomography
