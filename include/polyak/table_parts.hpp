#pragma once

/// \file table_parts.hpp
/// A table that several processes read together, each a part of its rows. A part
/// is counted, the counts of all parts are told to everybody (that is the
/// caller's), and then it is read: between the two, nobody waits for anybody.
///
/// .csv is cut by bytes, at the ends of lines; .petsc by rows.

#include <optional>
#include <span>
#include <string>

#include "polyak/io.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct PartCounts {
  Index rows = 0;
  Index lines = 0;    ///< of text
  Index entries = 0;  ///< of sparse rows
  Index bytes = 0;    ///< of the whole file: the same for all, if all read the same
};

/// Part `part` (from 0) of `parts`. Nothing where the format, or an option, asks
/// for the whole file: read that.
std::optional<PartCounts> count_part(const std::string& path, const ReadOptions& options,
                                     Index part, Index parts);

/// The rows of that part, and their b where the file has it; `counts` are those of
/// all parts. bad_data where the file is not what was counted.
Table read_part(const std::string& path, const ReadOptions& options, Index part,
                std::span<const PartCounts> counts);

/// What lies in the first so many parts.
PartCounts sum_of_parts(std::span<const PartCounts> counts, Index first_parts);

}  // namespace polyak
#pragma GCC visibility pop
