#pragma once

// A row for the models line and linear as pairs: in every step the entries of two neighbouring
// pixels, of which one may be zero. Faster to compute and to multiply than a list of single
// entries; the numbers equal those of RayMaker up to rounding. Also the work memory for one row.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "kernels/reference.hpp"
#include "tomography/projectors/ray_maker.hpp"
#include "tomography/projectors/rays.hpp"

namespace polyak::tomography::internal {

/// Step k has the entries first[k] at column pixel[k] and second[k] at column pixel[k] + stride.
/// The number of steps is a multiple of eight; the last ones may have zero entries.
struct PairRow {
  const std::int32_t* pixel;
  const double *first, *second;
  Index steps;
  Index stride;

  /// Step k is added to partial sum k mod 8, as in kernels/reference.hpp.
  double dot(const double* x) const;
  // Limited by memory. Reading the two pixels of a step with one instruction was tried and is not
  // faster.
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

/// The parameters of a ray.
struct PairRay {
  Crossing c;
  Path path;
  Share share;
  double length;  // of the ray in one step
};

/// True for the models line and linear, and images at least two pixels wide and high.
bool supports_pairs(const RayMaker& maker);
/// The necessary size of the arrays.
Index pair_capacity(const RayMaker& maker);
PairRow make_pairs(const RayMaker& maker, Index r, std::int32_t* pixel, double* first,
                   double* second);

/// Work memory for one row, on the stack of the caller; for images of more than about 2000 pixels
/// per side it is allocated once per object.
class Scratch {
 public:
  Scratch(const RayMaker& maker, const std::vector<double>& scale) : maker_(maker), scale_(scale) {
    const Index needed = std::max(maker.capacity(), pair_capacity(maker));
    if (needed <= stack_capacity) return;
    large_.reset(new Large{std::vector<std::int32_t>(to_size(needed)),
                           std::vector<double>(to_size(2 * needed))});
    columns_ = large_->columns.data();
    values_ = large_->values.data();
    second_ = values_ + needed;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  using Row = polyak::internal::kernels::SparseRow<double, std::int32_t>;
  Row row(Index r) {
    const Index count = maker_.make(r, columns_, values_);
    if (!scale_.empty())
      for (Index k = 0; k < count; ++k) values_[k] *= scale_[to_size(columns_[k])];
    return {values_, columns_, count, maker_.geometry().image.size()};
  }
  PairRow pairs(Index r) { return make_pairs(maker_, r, columns_, values_, second_); }

 private:
  static constexpr Index stack_capacity = 4096;
  struct Large {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  const RayMaker& maker_;
  const std::vector<double>& scale_;
  std::array<std::int32_t, to_size(stack_capacity)> small_columns_;
  std::array<double, to_size(2 * stack_capacity)> small_values_;
  std::unique_ptr<Large> large_;
  std::int32_t* columns_ = small_columns_.data();
  double* values_ = small_values_.data();
  double* second_ = values_ + stack_capacity;
};

}  // namespace polyak::tomography::internal
