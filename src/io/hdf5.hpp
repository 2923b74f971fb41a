#pragma once

// HDF5 files: what arrays they hold, and reading them. Links into other files,
// data kept in other files and filters that would load a plug-in are refused.

#include <optional>
#include <string>
#include <vector>

#include "io/stored.hpp"

namespace polyak::io {

/// Every dataset and sparse group, by name.
std::vector<ArrayInfo> list_hdf5(const std::string& path);
/// What that name stands for, if it is there.
std::optional<ArrayInfo> find_hdf5(const std::string& path, const std::string& name);
StoredArrayPtr open_hdf5(const std::string& path, const std::string& name);
/// A group of data, indices and indptr, as SciPy's users, AnnData and h5sparse
/// write them.
SparseParts read_hdf5_sparse(const std::string& path, const std::string& name);

}  // namespace polyak::io
