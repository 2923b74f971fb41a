#pragma once

/// \file disk_rows.hpp
/// A matrix whose rows stay in a file and are read when they are used: for files larger than
/// memory (docs/large-data.md). polyak/io.hpp makes it from an .npy.

#include <optional>
#include <string>

#include "polyak/row_matrix.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// How fast a file is read, about: what the predicted seconds of a solve, and so the choice of
/// auto, follow.
struct DiskRates {
  double sweep_bytes = 0.0;  ///< per second, rows in their order
  double single_rows = 0.0;  ///< per second, rows at random places
};

/// How the rows of a file are read, and how much was read until now.
struct DiskUse {
  std::string reader;         ///< "io_uring" or "threads"
  bool direct_io = false;     ///< past the page cache of the system
  Index depth = 0;            ///< reads in progress at a time, at most
  double buffer_bytes = 0.0;  ///< memory of all buffers and of the rows kept, at most
  Index reads = 0;
  double bytes = 0.0;   ///< read until now, with the rest of the blocks in which rows lie
  double sweeps = 0.0;  ///< rows used in order until now, divided by the rows of the file
  std::optional<DiskRates> rates;  ///< given, or measured when a file of some size was opened
};

/// Of the rows stored by this process; nothing if A is not read from a disk in this way.
std::optional<DiskUse> disk_use(const RowMatrix& A);

}  // namespace polyak
#pragma GCC visibility pop
