#pragma once

/// \file tomography_phantom.hpp
/// Planted images, their exact line integrals, and noise.
///
/// Shapes live in the square [−1, 1]², y up, which fills the shorter side of
/// the image.

#include <cstdint>

#include "polyak/tomography.hpp"

#pragma GCC visibility push(default)
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
/// A body and what is in it, by seed: an ellipse with about twenty smaller ellipses
/// and bars, denser, lighter or empty, that do not overlap. No negative value.
Phantom random_shapes(std::uint64_t seed);

/// Mean over `finer`² points in each pixel; rows · cols numbers.
std::vector<double> draw(const Phantom& phantom, const ImageGrid& image, Index finer = 4);
/// A section through a nut that never was: a wavy shell, two kernel lobes with
/// folds, a septum. Every seed is another nut.
std::vector<double> draw_walnut(const ImageGrid& image, std::uint64_t seed = 0, Index finer = 4);

/// An image on a grid `finer` times finer (rows·finer × cols·finer) as a detector
/// sees it: the mean of `finer` rays of width 1/finer over each element. What is
/// reconstructed from that has not been made with the rays it was projected by.
std::vector<double> finer_projections(const Geometry& geometry, RayModel model,
                                      const std::vector<double>& image, Index finer,
                                      int threads = 0);
ImageGrid finer_grid(const ImageGrid& image, Index finer);
/// Means of finer × finer pixels.
std::vector<double> coarser(const std::vector<double>& image, const ImageGrid& grid, Index finer);

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
#pragma GCC visibility pop
