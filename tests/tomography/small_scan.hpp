#pragma once

#include "polyak/tomography_phantom.hpp"
#include "scans.hpp"

namespace polyak::tomography {

/// Shepp and Logan's phantom, small, and its sinogram.
struct Scan {
  Geometry g;
  std::vector<double> image, sinogram;
  explicit Scan(Beam beam = Beam::parallel) {
    g.beam = beam;
    g.angles = turn(60, beam == Beam::fan ? 360.0 : 180.0);
    g.detectors = 48;
    g.image = {32, 32, 1.0};
    if (beam == Beam::fan) g.source_distance = 80, g.detector_distance = 40, g.spacing = 1.5;
    image = draw(shepp_logan(), g.image);
    sinogram = times(*projector(g, RayModel::line), image);
  }
};

}  // namespace polyak::tomography
