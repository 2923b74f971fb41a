#pragma once

// Which columns of a table are read, and which of them is the right-hand side.

#include <optional>
#include <string>
#include <vector>

#include "polyak/io.hpp"

namespace polyak::io {

/// Numbers from 0, in the order of the table.
struct ColumnChoice {
  std::vector<Index> matrix;
  Index rhs = -1;  ///< -1 without a right-hand side

  /// Those of the matrix, then the right-hand side.
  std::vector<Index> all() const;
};

/// Of a table with `count` columns; `names` may be empty. The columns of options.columns, or all,
/// without those of options.drop and without the right-hand side. Error usage if one does not
/// exist, or if none is left.
ColumnChoice choose_columns(const std::vector<std::string>& names, Index count,
                            const ReadOptions& options, const std::string& file);

/// The index, among `count` columns, of one given by its name or its number from 1; Error usage if
/// there is none. `names` may be empty.
Index find_column(const std::vector<std::string>& names, Index count, const std::string& wanted,
                  const std::string& file);

/// The name that differs from `wanted` in the fewest letters; there is at least one.
std::string closest(const std::vector<std::string>& names, const std::string& wanted);

/// The option that leaves these columns out, for messages; empty if they are many.
std::string leaving_out(const std::vector<std::string>& names, const std::vector<Index>& columns);

/// Where '*' in `pattern` stands for any characters.
bool matches(std::string_view name, std::string_view pattern);

}  // namespace polyak::io
