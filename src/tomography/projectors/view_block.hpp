#pragma once

// Products with a range of rays of a parallel beam, all rays of a view at once. The results
// equal those of RayMaker up to rounding: the steps of a ray are added in order, and the factor
// that all rays of a view share multiplies the sum.

#include <vector>

#include "tomography/projectors/band_kernels.hpp"
#include "tomography/projectors/ray_maker.hpp"

namespace polyak::tomography::internal {

class ViewBlock {
 public:
  /// Sizes of a block; for fewer rays than min_rays a block does not pay.
  static constexpr Index max_rays = 8192, min_rays = 16;

  /// True for parallel beams; strips must be less than two pixels wide along a row.
  static bool supports(const RayMaker& maker);

  /// Selects the rays [first, last).
  void prepare(const RayMaker& maker, Index first, Index last);

  /// value(i) = a_{first+i}ᵀx for all rays of the block.
  void project(const double* x);
  /// g += Σ_i value(i)·a_{first+i}. The values are overwritten.
  void back_project(double* g);

  /// Calls body(i, value) for the rays in order; `value` may be read and written.
  template <class Body>
  void for_values(Body body) {
    Index i = 0;
    for (const Run& run : runs_)
      for (Index k = 0; k < run.rays.count; ++k) body(i++, values_[to_size(run.at + k)]);
  }

 private:
  struct Run {
    bool rows;
    Index at;  // index of its first ray in the arrays
    ViewRays rays;
    double scale;  // the common factor of the view
  };
  struct Span {
    Index from, to;
  };
  void add_run(const RayMaker& maker, Index first, Index count);
  Span span(const Run& run, Index first_step, Index steps, Index across) const;
  template <class Body>
  void for_bands(bool rows, const double* image, Body body);

  ImageGrid image_;
  bool strips_ = false;
  std::vector<Run> runs_;
  std::vector<double> c0_, values_;
  BandBuffer buffer_;
};

}  // namespace polyak::tomography::internal
