#pragma once

// One ray of line or linear as a row: in every step two pixels next to each
// other, one or both of them with something. Made, multiplied and added faster
// than a list of single entries, since nothing has to be sorted out; the
// numbers are those of RayMaker but for rounding.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "kernels/reference.hpp"
#include "tomography/projectors/ray_maker.hpp"
#include "tomography/projectors/rays.hpp"

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

/// Room for one ray, on the stack of whoever calls; images beyond about 2000
/// pixels a side take it from the heap, once a call.
class Scratch {
 public:
  Scratch(const RayMaker& maker, const std::vector<double>& scale) : maker_(maker), scale_(scale) {
    const Index needed = std::max(maker.capacity(), pair_capacity(maker));
    if (needed <= most) return;
    large_.reset(new Large{std::vector<std::int32_t>(to_size(needed)),
                           std::vector<double>(to_size(2 * needed))});
    columns_ = large_->columns.data();
    values_ = large_->values.data();
    more_ = values_ + needed;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  using Row = kernels::SparseRow<double, std::int32_t>;
  Row row(Index r) {
    const Index count = maker_.make(r, columns_, values_);
    if (!scale_.empty())
      for (Index k = 0; k < count; ++k) values_[k] *= scale_[to_size(columns_[k])];
    return {values_, columns_, count, maker_.geometry().image.size()};
  }
  PairRow pairs(Index r) { return make_pairs(maker_, r, columns_, values_, more_); }

 private:
  static constexpr Index most = 4096;
  struct Large {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  const RayMaker& maker_;
  const std::vector<double>& scale_;
  std::array<std::int32_t, to_size(most)> small_columns_;
  std::array<double, to_size(2 * most)> small_values_;
  std::unique_ptr<Large> large_;
  std::int32_t* columns_ = small_columns_.data();
  double* values_ = small_values_.data();
  double* more_ = values_ + most;
};

}  // namespace polyak::tomography
