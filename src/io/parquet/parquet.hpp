#pragma once

// Apache Parquet: tables by columns, in blocks of rows, with compressed pages. Flat columns of
// numbers and booleans are read; docs/formats.md lists types, encodings and compressions.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "polyak/io.hpp"
#include "polyak/ranks.hpp"

namespace polyak::io {

/// True if the bytes begin and end as those of a Parquet file.
inline bool looks_like_parquet(std::string_view bytes) {
  return bytes.size() >= 12 && bytes.starts_with("PAR1") && bytes.ends_with("PAR1");
}

/// A page of each column is in memory at a time. Pages of columns that are not read are never
/// touched, and such columns may hold anything. A missing value is NaN, and treated as in a .csv.
std::unique_ptr<RowSource> parquet_rows(const std::shared_ptr<const MappedFile>& file,
                                        const ReadOptions& options,
                                        const std::optional<RowRange>& rows = {});

/// From the footer alone.
FileInfo inspect_parquet(const MappedFile& file);

}  // namespace polyak::io
