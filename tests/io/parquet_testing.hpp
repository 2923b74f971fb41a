#pragma once

// Parquet files made by hand, with claims that can be wrong, and the small files of the corpus,
// which tests/data/parquet/make.py made.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::testing {

/// Thrift's compact protocol.
class CompactWriter {
 public:
  CompactWriter& number(int id, std::int64_t value);  ///< as an i64, which i32 fields may be too
  CompactWriter& text(int id, std::string_view value);
  CompactWriter& flag(int id, bool value);
  CompactWriter& record(int id, const CompactWriter& value);
  CompactWriter& list(int id, const std::vector<CompactWriter>& records);
  /// A list that states another number of elements than follow.
  CompactWriter& false_list(int id, std::uint64_t claimed);
  /// With the zero byte at the end.
  std::string bytes() const { return bytes_ + '\0'; }

  static std::string varint(std::uint64_t value);

 private:
  void head(int id, int type);

  std::string bytes_;
  int last_ = 0;
};

/// A table of one required column x of doubles in one row group with one page.
struct HandMade {
  std::vector<double> values = {1, 2, 3};
  std::optional<std::string> page = {};  ///< the bytes of the page; else the values
  std::int64_t codec = 0, encoding = 0, page_type = 0, type = 5;
  std::optional<std::int64_t> rows = {}, group_rows = {}, chunk_values = {}, page_values = {},
                              unpacked = {}, packed = {}, first = {}, chunk_bytes = {};
  std::optional<CompactWriter> header = {}, schema_element = {};
  bool empty_group_first = false;  ///< a row group before, without rows and pages

  std::string bytes() const;
};

/// The schema of such a table: its root, then `element`.
std::vector<CompactWriter> schema_of(const CompactWriter& element);
/// "PAR1", the pages, the footer, its length, "PAR1".
std::string parquet_file(const std::string& pages, const CompactWriter& footer);

std::string corpus_bytes(const std::string& name);
/// What a file of the corpus holds, by rows; NaN where a value is missing.
std::vector<double> values_made(const std::string& name);

/// Equal, also where both are NaN.
void expect_same_values(const std::vector<double>& found, const std::vector<double>& expected);

}  // namespace polyak::testing
