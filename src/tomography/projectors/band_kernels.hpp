#pragma once

// The rays of a view against some lines of the image, in vector instructions:
// one lane a ray. Every ray sums its steps in order, and every pixel its rays,
// so that all vector widths give the same bits.
//
// About 20 operations for a ray and a step, two pixels read, or read and
// written, from the first cache; nothing else moves.
//
// Some lines of the image (rows, or columns, whichever the rays are followed
// along), copied out with zeros on both sides: rays that pass beside the image
// then need no care, and columns lie as close as rows.

#include <vector>

#include "tomography/projectors/rays.hpp"

namespace polyak::tomography {

struct Band {
  static constexpr Index most = 8;    // lines at a time
  static constexpr Index margin = 8;  // zeros on each side

  double* lines = nullptr;  // pixel 0 of the first line
  Index pitch = 0;          // from one line to the next
  Index first = 0, count = 0;
  Index across = 0;
};

/// Room for bands of an image, and the way in and out of them.
class BandRoom {
 public:
  /// Bands of `image` along rows or columns.
  void prepare(const ImageGrid& image, bool rows);
  Index bands() const { return (path_.steps + Band::most - 1) / Band::most; }
  /// Band k with the pixels [from, to) of its lines; what lies elsewhere within
  /// the image is left undefined.
  Band load(Index k, Index from, Index to, const double* image);
  void store(const Band& band, Index from, Index to, double* image) const;

 private:
  Path path_{ImageGrid{}, true};
  std::vector<double> room_;
};

/// Rays side by side in one view: ray i crosses step k at c0[i] + k·slope. Of
/// strips c0 has the edges, one more than rays, edge i before and i + 1 behind
/// ray i. c0 and what belongs to the rays have room for `room` more on both
/// sides: of c0 with any finite number in it, of values with zeros.
struct Sheaf {
  static constexpr Index room = 8;

  const double* c0 = nullptr;
  Index count = 0;  // rays
  double slope = 0.0;
  bool ascending = true;  // c0 with i
  Share share{0.0, 1.0};
  Area area{0.0};
};

/// sums[i] += Σ over the band of what ray i sees, in units of the sheaf.
void project_pairs(const Band& band, const Sheaf& rays, double* sums);
void project_strips(const Band& band, const Sheaf& rays, double* sums);

/// The transposed: the band's pixels += values[i] times what ray i sees.
void spread_pairs(const Band& band, const Sheaf& rays, const double* values);
void spread_strips(const Band& band, const Sheaf& rays, const double* values);

}  // namespace polyak::tomography
