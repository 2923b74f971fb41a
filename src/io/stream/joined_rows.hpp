#pragma once

// Several text tables as one, in memory.

#include <memory>
#include <string>
#include <vector>

#include "io/rows.hpp"

namespace polyak::io {

/// The rows of all files, which must have the same columns. Files are opened one after the other.
std::unique_ptr<RowSource> joined_rows(const std::vector<std::string>& paths,
                                       const ReadOptions& options);

}  // namespace polyak::io
