#include "tomography/band.hpp"

#include <algorithm>

namespace polyak::tomography {

// Lines a multiple of 4096 bytes apart would share their places in the cache.
void BandRoom::prepare(const ImageGrid& image, bool rows) {
  path_ = Path(image, rows);
  Index pitch = (path_.across + 7) / 8 * 8 + 2 * Band::margin;
  if (pitch % 512 == 0) pitch += 8;
  room_.resize(to_size(Band::most * pitch));
}

Band BandRoom::load(Index k, Index from, Index to, const double* image) {
  Band band;
  band.pitch = std::ssize(room_) / Band::most;
  band.lines = room_.data() + Band::margin;
  band.first = k * Band::most;
  band.count = std::min(Band::most, path_.steps - band.first);
  band.across = path_.across;
  for (Index l = 0; l < band.count; ++l) {
    std::fill_n(band.lines + l * band.pitch - Band::margin, Band::margin, 0.0);
    std::fill_n(band.lines + l * band.pitch + band.across, Band::margin, 0.0);
  }
  const double* pixels = image + band.first * path_.step_stride;
  if (path_.stride == 1) {
    for (Index l = 0; l < band.count; ++l)
      std::copy(pixels + l * path_.step_stride + from, pixels + l * path_.step_stride + to,
                band.lines + l * band.pitch + from);
    return band;
  }
  for (Index j = from; j < to; ++j)
    for (Index l = 0; l < band.count; ++l)
      band.lines[l * band.pitch + j] = pixels[j * path_.stride + l];
  return band;
}

void BandRoom::store(const Band& band, Index from, Index to, double* image) const {
  double* pixels = image + band.first * path_.step_stride;
  if (path_.stride == 1) {
    for (Index l = 0; l < band.count; ++l)
      std::copy(band.lines + l * band.pitch + from, band.lines + l * band.pitch + to,
                pixels + l * path_.step_stride + from);
    return;
  }
  for (Index j = from; j < to; ++j)
    for (Index l = 0; l < band.count; ++l)
      pixels[j * path_.stride + l] = band.lines[l * band.pitch + j];
}

}  // namespace polyak::tomography
