#pragma once

// The generator of rows: ray r as (column, value) pairs. Everything that a view
// shares is computed once, beforehand.

#include <cstdint>
#include <vector>

#include "core/thread_team.hpp"
#include "tomography/projectors/rays.hpp"

namespace polyak::tomography {

class RayMaker {
 public:
  RayMaker(Geometry geometry, RayModel model);

  const Geometry& geometry() const { return geometry_; }
  RayModel model() const { return model_; }
  /// Room that columns and values must have.
  Index capacity() const { return capacity_; }
  /// Writes the entries of ray r, none of them zero, each pixel once; returns
  /// how many. Of rays followed by rows the columns ascend.
  Index make(Index r, std::int32_t* columns, double* values) const;
  /// Ray r, or with shift 0 and 1 the edges of what its element sees: ray() of
  /// rays.hpp with the view's sine and cosine known.
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

/// body(first, last) over ranges of rays that do not depend on the team.
template <class Body>
void for_rays(Index rays, ThreadTeam& team, Body&& body) {
  constexpr Index range = 512;
  team.run((rays + range - 1) / range,
           [&](Index k) { body(k * range, std::min(rays, (k + 1) * range)); });
}

/// How many entries each ray has.
std::vector<Index> entry_counts(const RayMaker& maker, int threads);

/// The two matrices, for whoever has the counts already.
MatrixPtr projector(RayMaker maker, std::vector<double> column_scale,
                    const std::vector<Index>& counts);
MatrixPtr system_matrix(const RayMaker& maker, const std::vector<Index>& counts, int threads);

}  // namespace polyak::tomography
