#pragma once

/// \file tomography_phantom.hpp
/// Phantoms (known images), their exact line integrals, and noise.
///
/// The coordinates of shapes are in the square [−1, 1]², y up; its side is the shorter side of
/// the image.

#include <cstdint>

#include "polyak/tomography.hpp"

#pragma GCC visibility push(default)
namespace polyak::tomography {

/// A filled ellipse: half axes a and b, rotated counter-clockwise by `turn`.
struct Ellipse {
  double x, y, a, b, turn, value;
};
/// A filled rectangle: half sides a and b.
struct Rectangle {
  double x, y, a, b, turn, value;
};

/// Where shapes overlap, their values add.
struct Phantom {
  std::vector<Ellipse> ellipses;
  std::vector<Rectangle> rectangles;
};

Phantom shepp_logan();  ///< with the contrast of Toft: 0 to 1
Phantom disc();
Phantom rectangle();
/// A random phantom: an ellipse with about twenty smaller ellipses and bars inside, denser,
/// lighter or empty, which do not overlap. No negative value.
Phantom random_shapes(std::uint64_t seed);

/// The phantom as an image, rows · cols numbers: the mean over `finer`² points in each pixel.
std::vector<double> draw(const Phantom& phantom, const ImageGrid& image, Index finer = 4);
/// A random image like a section through a walnut: a wavy shell, two lobes with folds, a
/// septum. Each seed gives a different image.
std::vector<double> draw_walnut(const ImageGrid& image, std::uint64_t seed = 0, Index finer = 4);

/// The sinogram of an image on a grid `finer` times finer (rows·finer × cols·finer): each value
/// is the mean over `finer` rays of width 1/finer in its element. A reconstruction then does not
/// use the same discretisation as the data.
std::vector<double> finer_projections(const Geometry& geometry, RayModel model,
                                      const std::vector<double>& image, Index finer,
                                      int threads = 0);
ImageGrid finer_grid(const ImageGrid& image, Index finer);
/// The image on the coarse grid: means of finer × finer pixels.
std::vector<double> coarser(const std::vector<double>& image, const ImageGrid& grid, Index finer);

/// The exact integrals along the middle line of every ray, views × detectors.
std::vector<double> exact_projections(const Phantom& phantom, const Geometry& geometry);

/// Adds sigma·N(0, 1) to every ray, from its own random stream.
void add_gaussian_noise(std::vector<double>& sinogram, double sigma, std::uint64_t seed);

/// Photon noise: count ~ Poisson(photons·exp(−attenuation·y)), and y becomes
/// −log(count/photons)/attenuation, where a count of 0 is replaced by ½. Returns the counts,
/// which are suitable weights of the rays.
std::vector<double> add_poisson_noise(std::vector<double>& sinogram, double photons,
                                      double attenuation, std::uint64_t seed);

}  // namespace polyak::tomography
#pragma GCC visibility pop
