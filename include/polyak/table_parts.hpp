#pragma once

/// \file table_parts.hpp
/// A table read by several processes, each a part of its rows. Each process first counts its
/// part, then the caller gathers the counts of all parts (allgather), then each process reads its
/// part. The functions here do not communicate.
///
/// .csv is divided by bytes, at line ends; .parquet and .petsc by rows.

#include <optional>
#include <span>
#include <string>

#include "polyak/io.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct PartCounts {
  Index rows = 0;
  Index lines = 0;    ///< of a text file
  Index entries = 0;  ///< of sparse rows
  Index bytes = 0;  ///< of the whole file: equal for all parts if all processes read the same file
};

/// Counts part `part` (from 0) of `parts`. nullopt if the format or an option does not allow
/// parts: then every process reads the whole file.
std::optional<PartCounts> count_part(const std::string& path, const ReadOptions& options,
                                     Index part, Index parts);

/// Reads the rows of the part, and their b if the file holds it; `counts` are those of all parts.
/// Error bad_data if the file has changed since it was counted.
Table read_part(const std::string& path, const ReadOptions& options, Index part,
                std::span<const PartCounts> counts);

/// The sum of the counts of the first `first_parts` parts.
PartCounts sum_of_parts(std::span<const PartCounts> counts, Index first_parts);

}  // namespace polyak
#pragma GCC visibility pop
