#pragma once

/// \file images.hpp
/// Numbers as pictures: .png in shades of grey for people, .tif in single
/// precision with the pixel size for programs, .npy in full. Written beside,
/// flushed and renamed like every other output.

#include <optional>
#include <string>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct ImageOptions {
  double pixel = 1.0;           ///< .tif: the side of a pixel, as resolution 1/pixel
  std::optional<double> black;  ///< .png: what is black; the smallest value when absent
  std::optional<double> white;  ///< .png: what is white; the largest
};

/// By the ending: .png, .tif, .tiff, and whatever write_array takes. Several
/// images of one size below each other (`count` of them) become the pages of a
/// .tif and the first dimension of an .npy.
void write_image(const std::string& path, ConstView values, const ImageOptions& options = {},
                 Index count = 1);

}  // namespace polyak
#pragma GCC visibility pop
