#pragma once

// Which columns of a table are read.

#include <string>
#include <vector>

#include "io/column_choice.hpp"
#include "io/file.hpp"
#include "io/parquet/footer.hpp"

namespace polyak::io::parquet {

std::vector<std::string> names_of(const Footer& footer);

/// As of any table; also Error bad_data if a column does not hold numbers: in one line for all of
/// them.
ColumnChoice choose_columns(const MappedFile& file, const Footer& footer,
                            const ReadOptions& options);

}  // namespace polyak::io::parquet
