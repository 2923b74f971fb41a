#pragma once

// Computes the rows of the matrix: ray r as (column, value) pairs. This defines the matrix; the
// faster algorithms give the same numbers up to rounding. Sine and cosine of the views are
// computed once.

#include <cstdint>
#include <vector>

#include "core/thread_team.hpp"
#include "tomography/projectors/rays.hpp"

namespace polyak::tomography::internal {

class RayMaker {
 public:
  RayMaker(Geometry geometry, RayModel model);

  const Geometry& geometry() const { return geometry_; }
  RayModel model() const { return model_; }
  /// The necessary size of `columns` and `values`.
  Index capacity() const { return capacity_; }
  /// Writes the nonzero entries of ray r, each pixel once, and returns their number. For rays
  /// followed by rows the columns ascend.
  Index make(Index r, std::int32_t* columns, double* values) const;
  /// Ray r, or with shift 0 and 1 the edges of its strip: ray() of rays.hpp with stored sine and
  /// cosine.
  Line line(Index r, double shift = 0.5) const;

 private:
  Index make_pairs(const Line& ray, std::int32_t* columns, double* values) const;
  Index make_strip(Index r, std::int32_t* columns, double* values) const;
  Index strip_capacity() const;

  struct View {
    double cosine, sine, offset;
  };
  Geometry geometry_;
  RayModel model_;
  std::vector<View> views_;
  Index capacity_;
};

/// Calls body(first, last) for ranges of rays that do not depend on the number of threads.
template <class Body>
void for_rays(Index rays, polyak::internal::ThreadTeam& team, Body&& body) {
  constexpr Index range = 512;
  team.run((rays + range - 1) / range,
           [&](Index k) { body(k * range, std::min(rays, (k + 1) * range)); });
}

/// The number of entries of each ray.
std::vector<Index> entry_counts(const RayMaker& maker, int threads);

/// projector() and system_matrix() of polyak/tomography.hpp with known entry counts.
MatrixPtr projector(RayMaker maker, std::vector<double> column_scale,
                    const std::vector<Index>& counts);
MatrixPtr system_matrix(const RayMaker& maker, const std::vector<Index>& counts, int threads);

}  // namespace polyak::tomography::internal
