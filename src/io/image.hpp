#pragma once

// Images as bytes: also for pages that contain their pictures.

#include "io/file.hpp"
#include "polyak/images.hpp"

namespace polyak::internal::io {

/// The bytes of a .png or .tif file.
std::string encode_png(ConstView values, const ImageOptions& options, const std::string& name);
std::string encode_tiff(ConstView values, const ImageOptions& options, Index count,
                        const std::string& name);

}  // namespace polyak::internal::io
