#pragma once

// Some lines of the image (rows, or columns, whichever the rays are followed
// along), copied out with zeros on both sides: rays that pass beside the image
// then need no care, and columns lie as close as rows.

#include <vector>

#include "tomography/rays.hpp"

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

}  // namespace polyak::tomography
