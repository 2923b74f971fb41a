#pragma once

/// \file tomography.hpp
/// Two-dimensional scans as matrices: one row per ray, one column per pixel.
///
/// Lengths are in one unit of the user's choice, angles in radians,
/// counter-clockwise, y up (drawings in docs/tutorial-tomography.md):
///  - image: centred on the rotation axis; row 0 is the top, column 0 the left;
///    pixel (i, j) is column i·cols + j of the matrix, with its centre at
///    x = (j + ½ − cols/2)·pixel, y = (rows/2 − ½ − i)·pixel;
///  - parallel beam: the ray of element k at angle t is the line
///    x·cos t + y·sin t = s_k, s_k = (k + ½ − detectors/2)·spacing + offset;
///  - flat fan: the source is at source_distance·(sin t, −cos t), the middle of
///    the detector at detector_distance·(−sin t, cos t), element k lies s_k
///    from there along (cos t, sin t);
///  - row r = view·detectors + k: a sinogram is views × detectors, C order.

#include <string>
#include <vector>

#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak::tomography {

enum class Beam { parallel, fan };

/// A grid of square pixels of side `pixel`.
struct ImageGrid {
  Index rows = 0;
  Index cols = 0;
  double pixel = 1.0;

  Index size() const { return rows * cols; }
};

struct Geometry {
  Beam beam = Beam::parallel;
  std::vector<double> angles;  ///< one per view
  Index detectors = 0;
  double spacing = 1.0;
  std::vector<double> offsets = {};  ///< empty, one for all views, or one per view
  double source_distance = 0.0;      ///< fan: from the source to the axis
  double detector_distance = 0.0;    ///< fan: from the axis to the detector
  ImageGrid image;

  Index views() const { return std::ssize(angles); }
  Index rays() const { return views() * detectors; }
};

/// The offset that puts the axis at `center`, counted in detector elements from
/// the edge of the first one (detectors/2 is the middle).
double offset_of_center(double center, Index detectors, double spacing);

/// Error bad_data for sizes, angles and distances out of range, and if no ray meets the image.
void check(const Geometry& geometry);

/// The entry of the matrix for a ray and a pixel:
///  - line: the exact length of the ray inside the pixel;
///  - linear: Joseph's method, interpolating between two pixels in each image
///    row (or column, whichever the ray crosses more steeply);
///  - strip: the area of the pixel inside the strip of the detector element, over the width
///    of the strip there; for a parallel beam this is the mean length over the rays of the strip.
enum class RayModel { line, linear, strip };
RayModel ray_model_named(const std::string& name);  ///< Error usage
std::string name_of(RayModel model);

/// The matrix without storing it: rows are computed when they are used.
/// `column_scale` (one number per pixel, or empty) multiplies the columns.
MatrixPtr projector(const Geometry& geometry, RayModel model, std::vector<double> column_scale = {},
                    int threads = 0);

/// The same matrix stored as CSR, columns ascending, without explicit zeros.
MatrixPtr system_matrix(const Geometry& geometry, RayModel model, int threads = 0);

/// A·x, the sinogram of an image.
std::vector<double> projections(const RowMatrix& A, const std::vector<double>& image,
                                int threads = 0);

struct RayCounts {
  Index rays = 0;
  Index zero = 0;       ///< meet no pixel
  Index duplicate = 0;  ///< on the same line as an earlier ray
  Index nonzeros = 0;   ///< entries of the matrix
};
RayCounts count_rays(const Geometry& geometry, RayModel model, int threads = 0);

/// Bounds of lambda_max of AᵀA for an A without negative entries: with the positive vectors
/// v = (AᵀA)^k·1, max (AᵀAv)_j/v_j is an upper bound (Collatz and Wielandt), the Rayleigh
/// quotient a lower bound.
struct NormBounds {
  double lower = 0.0;
  double upper = 0.0;
};
NormBounds norm_bounds(const RowMatrix& A, std::vector<double> weights, Index rounds = 4,
                       int threads = 0);

}  // namespace polyak::tomography
#pragma GCC visibility pop
