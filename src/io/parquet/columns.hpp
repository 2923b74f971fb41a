#pragma once

// Which columns of a table are read.

#include <optional>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/parquet/footer.hpp"

namespace polyak::io::parquet {

/// Numbers from 0, in the order of the table.
struct ColumnChoice {
  std::vector<Index> matrix;
  Index rhs = -1;  ///< -1 without a right-hand side

  /// Those of the matrix, then the right-hand side.
  std::vector<Index> all() const;
};

std::vector<std::string> names_of(const Footer& footer);

/// `wanted` are names or numbers from 1 of the columns of A; if there are none, all that are not
/// the right-hand side. Error usage if a column does not exist, bad_data if one of them does not
/// hold numbers: in one line for all of them.
ColumnChoice choose_columns(const MappedFile& file, const Footer& footer,
                            const std::vector<std::string>& wanted,
                            const std::optional<std::string>& rhs);

}  // namespace polyak::io::parquet
