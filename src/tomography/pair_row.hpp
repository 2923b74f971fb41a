#pragma once

// One ray of line or linear as a row: in every step two pixels next to each
// other, one or both of them with something. Made, multiplied and added faster
// than a list of single entries, since nothing has to be sorted out; the
// numbers are those of RayMaker but for rounding.

#include <algorithm>
#include <cstdint>

#include "tomography/ray_maker.hpp"
#include "tomography/weights.hpp"

namespace polyak::tomography {

/// Step k sees pixel[k] with first[k] and pixel[k] + stride with second[k]. A
/// multiple of eight steps, the last ones with nothing.
struct PairRow {
  const std::int32_t* pixel;
  const double *first, *second;
  Index steps;
  Index stride;

  /// Step k goes to sum k mod 8, as in kernels/reference.hpp.
  double dot(const double* x) const;
  // Nothing here is in the way of the memory: reading the two pixels of a step at
  // once, where they lie side by side, was tried and gained nothing.
  void add_to(double c, double* g) const {  // g += c·a
    for (Index k = 0; k < steps; ++k) {
      double* at = g + pixel[k];
      at[0] += c * first[k];
      at[stride] += c * second[k];
    }
  }
  void add_scaled_to(double c, double scale, double* g) const {  // g += c·(scale·a)
    for (Index k = 0; k < steps; ++k) {
      double* at = g + pixel[k];
      at[0] += c * (scale * first[k]);
      at[stride] += c * (scale * second[k]);
    }
  }
  void clamp(const double* lower, const double* upper, double* x) const {
    for (Index k = 0; k < steps; ++k)
      for (const Index j : {Index{pixel[k]}, pixel[k] + stride})
        x[j] = std::clamp(x[j], lower[j], upper[j]);
  }
};

/// What a ray is made of.
struct PairRay {
  Crossing c;
  Path path;
  Share share;
  double length;  // in one step
};

/// Rays that are line or linear, of images at least two pixels wide and high.
bool suits_pairs(const RayMaker& maker);
/// Room that the arrays must have.
Index pair_capacity(const RayMaker& maker);
PairRow make_pairs(const RayMaker& maker, Index r, std::int32_t* pixel, double* first,
                   double* second);

}  // namespace polyak::tomography
