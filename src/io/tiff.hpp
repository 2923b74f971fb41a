#pragma once

// TIFF files as stacks of pages: one channel of numbers, strips or tiles, any
// compression that libtiff knows.

#include <string>
#include <vector>

#include "io/file.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::io {

/// All pages of all files must agree in size and type; one page alone has two
/// dimensions, several have three.
StoredArrayPtr open_tiff(const std::vector<std::string>& files);
ArrayInfo inspect_tiff(const MappedFile& file);

/// The .tif files in a folder, or those a pattern with '*' or '?' matches, in
/// the order of the numbers in their names. Empty when it is neither.
std::vector<std::string> tiff_files(const std::string& path);

}  // namespace polyak::io
