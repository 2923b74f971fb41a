#pragma once

// A scan made to order: the paper's tomography, or one of the user's size.

#include "experiments/spec.hpp"
#include "polyak/tomography.hpp"

namespace polyak::experiments {

/// The views go once around, or as far as the spec says, in equal steps.
tomography::Geometry geometry_of(const ScanSpec& scan);

/// The image behind the data, row by row.
std::vector<double> planted_image(const ProblemSpec& problem);

/// A, and b = A·image: consistent up to rounding.
struct Scan {
  MatrixPtr A;
  std::vector<double> image, b;
};
Scan make_scan(const ProblemSpec& problem, int threads);

}  // namespace polyak::experiments
