#pragma once

// Products with a range of rays of a parallel beam, all rays of a view at once.
// The numbers are those of RayMaker but for rounding: a ray's steps are added
// one after the other, and what belongs to a whole view multiplies the sum.

#include <vector>

#include "tomography/projectors/band_kernels.hpp"
#include "tomography/projectors/ray_maker.hpp"

namespace polyak::tomography {

class ViewBlock {
 public:
  /// Rays that one block should have at most; fewer than `least` are not worth
  /// one.
  static constexpr Index most = 8192, least = 16;

  /// Parallel beams, and strips less than two pixels wide along a row.
  static bool suits(const RayMaker& maker);

  /// The rays [first, last) from now on.
  void prepare(const RayMaker& maker, Index first, Index last);

  /// value(i) = a_{first+i}ᵀx for all of them.
  void project(const double* x);
  /// g += Σ_i value(i)·a_{first+i}. The values are used up.
  void spread(double* g);

  /// body(i, value) for the rays in order, `value` to read or to write.
  template <class Body>
  void for_values(Body body) {
    Index i = 0;
    for (const Run& run : runs_)
      for (Index k = 0; k < run.rays.count; ++k) body(i++, values_[to_size(run.at + k)]);
  }

 private:
  struct Run {
    bool rows;
    Index at;  // of its first ray in the arrays
    Sheaf rays;
    double scale;  // what the sheaf's unit is
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
  BandRoom room_;
};

}  // namespace polyak::tomography
