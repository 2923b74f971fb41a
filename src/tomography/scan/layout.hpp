#pragma once

// Finds the arrays of a scan in a file, and refuses a scan.

#include <optional>
#include <string>
#include <vector>

#include "polyak/stored_array.hpp"

namespace polyak::tomography::internal {

struct ScanParts {
  std::string layout;  ///< "Data Exchange", "NXtomo", or empty
  StoredArrayPtr data;
  /// The frames of `data` (first index) that are projections, flat fields and dark fields; if
  /// `frames` is empty, all are projections.
  std::vector<Index> frames = {}, flat_frames = {}, dark_frames = {};
  StoredArrayPtr flat = {}, dark = {};  ///< separate arrays
  std::vector<double> angles = {};      ///< radians, one per projection
};

/// By the layout of the file if it is known; otherwise the only array with two or three
/// dimensions.
ScanParts find_parts(const std::string& path);

/// Throws Error bad_data.
[[noreturn]] void refuse_scan(const std::string& where, const std::string& what,
                              const std::string& found, const std::string& expected,
                              const std::string& hint = {});

}  // namespace polyak::tomography::internal
