#pragma once

// Projection and back projection of the rays of one view for a band of image lines, in vector
// instructions with one ray per lane. A ray adds its steps in order, and a pixel adds its rays
// in order, so that all vector widths give the same bits.
//
// Per ray and step: about 20 operations, and two pixels read (or read and written) in the
// first-level cache.

#include <vector>

#include "tomography/projectors/rays.hpp"

namespace polyak::tomography::internal {

/// Some consecutive lines of the image (rows or columns, depending on the direction of the rays),
/// copied with zeros on both sides. Rays outside the image then need no special case, and
/// columns are as contiguous as rows.
struct Band {
  static constexpr Index max_lines = 8;
  static constexpr Index margin = 8;  // zeros on each side

  double* lines = nullptr;     // pixel 0 of the first line
  Index pitch = 0;             // distance from one line to the next
  Index first = 0, count = 0;  // the lines [first, first + count) of the image
  Index across = 0;            // pixels in a line
};

/// Memory for one band of an image; copies lines from and to the image.
class BandBuffer {
 public:
  /// For bands of rows, or of columns, of `image`.
  void prepare(const ImageGrid& image, bool rows);
  Index bands() const { return (path_.steps + Band::max_lines - 1) / Band::max_lines; }
  /// Band k with the pixels [from, to) of its lines; other pixels inside the image are left
  /// undefined.
  Band load(Index k, Index from, Index to, const double* image);
  void store(const Band& band, Index from, Index to, double* image) const;

 private:
  Path path_{ImageGrid{}, true};
  std::vector<double> buffer_;
};

/// Neighbouring rays of one view: ray i crosses line k at c0[i] + k·slope. For strips c0 holds the
/// count + 1 edges; ray i lies between the edges i and i + 1. c0 and the arrays of values per ray
/// have `padding` more entries on both sides: in c0 any finite numbers, in values zeros.
struct ViewRays {
  static constexpr Index padding = 8;

  const double* c0 = nullptr;
  Index count = 0;  // rays
  double slope = 0.0;
  bool ascending = true;  // c0 increases with i
  Share share{0.0, 1.0};
  Area area{0.0};
};

/// sums[i] += Σ over the band of (entry of the matrix)·(pixel) for ray i, without the common
/// factor of the view.
void project_pairs(const Band& band, const ViewRays& rays, double* sums);
void project_strips(const Band& band, const ViewRays& rays, double* sums);

/// The transposed product: pixels of the band += (entry of the matrix)·values[i].
void back_project_pairs(const Band& band, const ViewRays& rays, const double* values);
void back_project_strips(const Band& band, const ViewRays& rays, const double* values);

}  // namespace polyak::tomography::internal
