#pragma once

// A dense matrix of which the rows are read from a file when they are used.

#include <optional>
#include <string>

#include "io/disk/read_queue.hpp"
#include "polyak/matrices.hpp"

namespace polyak::io {

struct DiskOptions {
  Reader reader = Reader::automatic;
  double buffer_bytes = 256e6;  ///< of rows kept and of blocks in progress, about
  Index threads = 0;            ///< that read at the same time; 0: all processors
  bool measure_rates = false;
  std::optional<double> sweep_bytes = {}, single_rows = {};  ///< rates that are not measured
};

/// Values in C order from byte `offset` on, doubles or floats.
struct DiskValues {
  std::string path;
  Index offset = 0, rows = 0, cols = 0;
  bool single = false;
  std::optional<FileIdentity> file = {};  ///< of which offset and sizes were read
};

/// Error io if the path now names another file than `file`. Products have the bits of the same
/// matrix in memory (dense_view).
MatrixPtr disk_matrix(const DiskValues& values, const DiskOptions& options);

/// "auto", "io_uring" or "threads".
Reader reader_named(const std::string& name);

}  // namespace polyak::io
