#pragma once

#include <vector>

#include "core/thread_team.hpp"
#include "tomography/ray_maker.hpp"

namespace polyak::tomography {

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
