#pragma once

// Where something stands in a Parquet file: the message of every error of this folder names it.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "polyak/error.hpp"

namespace polyak::io::parquet {

/// The names are those of the file and of a column of its footer, which live longer.
struct Place {
  std::string_view file;
  std::size_t byte = 0;
  std::string_view column = {};  ///< empty for the footer

  Place after(std::size_t bytes) const { return {file, byte + bytes, column}; }

  /// Throws bad_data: "t.parquet, byte 4711, column 'x': WHAT (found F, expected E); HINT".
  [[noreturn]] void refuse(std::string what, std::string found = {}, std::string expected = {},
                           std::string hint = {}) const {
    std::string where = std::string(file) + ", byte " + std::to_string(byte);
    if (!column.empty()) where += ", column '" + std::string(column) + "'";
    throw Error(ErrorCode::bad_data, {.what = std::move(what),
                                      .where = std::move(where),
                                      .found = std::move(found),
                                      .expected = std::move(expected),
                                      .hint = std::move(hint)});
  }
};

}  // namespace polyak::io::parquet
