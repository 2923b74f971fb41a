#pragma once

/// \file tomography_phantom.hpp
/// Planted images, their exact line integrals, and noise.
///
/// Shapes live in the square [−1, 1]², y up, which fills the shorter side of
/// the image.

#include <cstdint>

#include "polyak/tomography.hpp"

namespace polyak::tomography {

/// A filled ellipse: half axes a and b, turned counter-clockwise by `turn`.
struct Ellipse {
  double x, y, a, b, turn, value;
};
/// A filled rectangle: half sides a and b.
struct Rectangle {
  double x, y, a, b, turn, value;
};

/// Shapes on top of each other: values add up.
struct Phantom {
  std::vector<Ellipse> ellipses;
  std::vector<Rectangle> rectangles;
};

Phantom shepp_logan();  ///< with the contrast of Toft: 0 to 1
Phantom disc();
Phantom rectangle();

/// Mean over `finer`² points in each pixel; rows · cols numbers.
std::vector<double> draw(const Phantom& phantom, const ImageGrid& image, Index finer = 4);
/// A section through a nut that never was: a wavy shell, two kernel lobes with
/// folds, a septum. Every seed is another nut.
std::vector<double> draw_walnut(const ImageGrid& image, std::uint64_t seed = 0, Index finer = 4);

/// The exact integrals along the middle line of every ray, views × detectors.
std::vector<double> exact_projections(const Phantom& phantom, const Geometry& geometry);

/// y + sigma·N(0, 1), ray by ray, from a stream of its own.
void add_gaussian_noise(std::vector<double>& sinogram, double sigma, std::uint64_t seed);

/// Photons are counted: count ~ Poisson(photons·exp(−attenuation·y)), and
/// y becomes −log(count/photons)/attenuation, none counted being taken for one
/// half. Returns the counts; they are the rays' natural weights.
std::vector<double> add_poisson_noise(std::vector<double>& sinogram, double photons,
                                      double attenuation, std::uint64_t seed);

}  // namespace polyak::tomography
