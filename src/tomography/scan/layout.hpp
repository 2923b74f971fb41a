#pragma once

// Which arrays of a file make a scan.

#include <optional>
#include <string>
#include <vector>

#include "polyak/stored_array.hpp"

namespace polyak::tomography {

struct ScanParts {
  std::string layout;  ///< "Data Exchange", "NXtomo", or nothing
  StoredArrayPtr data;
  /// Frames of `data` (first index) that are projections, flat and dark fields;
  /// of projections all when there are none.
  std::vector<Index> frames = {}, flat_frames = {}, dark_frames = {};
  StoredArrayPtr flat = {}, dark = {};  ///< images of their own
  std::vector<double> angles = {};      ///< radians, one per projection
};

/// Recognises the layout; else the only array of two or three dimensions.
ScanParts find_parts(const std::string& path);

}  // namespace polyak::tomography
