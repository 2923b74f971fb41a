#pragma once

/// \file images.hpp
/// Arrays as images: .png in shades of grey for viewing, .tif in single precision with the pixel
/// size, .npy in full precision. Like all outputs, they are written to a temporary file that is
/// flushed and renamed.

#include <optional>
#include <string>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct ImageOptions {
  double pixel = 1.0;           ///< .tif: the side of a pixel, as resolution 1/pixel
  std::optional<double> black;  ///< .png: the value shown black; default: the smallest
  std::optional<double> white;  ///< .png: the value shown white; default: the largest
};

/// The format follows from the ending: .png, .tif, .tiff, and the formats of write_array.
/// `count` images of the same size, one below the other in `values`, become the pages of a .tif
/// and the first dimension of an .npy.
void write_image(const std::string& path, ConstView values, const ImageOptions& options = {},
                 Index count = 1);

}  // namespace polyak
#pragma GCC visibility pop
