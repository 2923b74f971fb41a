#pragma once

// MATLAB files, versions 4, 5, 7 and 7.3, through matio.

#include <string>
#include <vector>

#include "io/stored.hpp"

namespace polyak::io {

/// Of versions 4, 5 and 7: bad_data when the file is cut off, or a variable claims
/// more than it has bytes for, neither of which matio would tell.
void check_mat(const MappedFile& file);

/// Every variable, in the order of the file.
std::vector<ArrayInfo> list_mat(const MappedFile& file);
/// A dense variable, read whole: MATLAB keeps it by columns.
StoredArrayPtr open_mat(const MappedFile& file, const std::string& name);
SparseParts read_mat_sparse(const MappedFile& file, const std::string& name);

}  // namespace polyak::io
