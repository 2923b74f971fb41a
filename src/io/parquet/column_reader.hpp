#pragma once

// One column of a table, read from its first row to its last: pages are opened in turn, one of them
// is in memory. A missing value (null) is NaN.

#include <memory>
#include <vector>

#include "io/parquet/pages.hpp"
#include "io/parquet/runs.hpp"
#include "io/parquet/values.hpp"

namespace polyak::io::parquet {

class ColumnReader {
 public:
  /// `scratch` is memory for a moment, which the columns of a table share. All must outlive the
  /// reader.
  ColumnReader(const MappedFile& file, const Column& column, PageBuffer& scratch)
      : file_(&file), column_(&column), scratch_(&scratch) {}

  /// Goes to the first row of a row group; its chunk has been checked.
  void open(const Chunk& chunk);
  /// The next `count` values of the row group.
  void read(double* out, Index count);
  /// Passes over values; pages that have only such values are not unpacked.
  void skip(Index count);

 private:
  void open_page(const Page& page);
  void open_dictionary(const Page& page);
  Page next_data_page();
  std::string_view without_levels(const Page& page);
  void read_levels(const Page& page, std::string_view bytes);
  void read_present(double* out, Index count);

  const MappedFile* file_;
  const Column* column_;
  PageBuffer* scratch_;
  std::unique_ptr<PageStream> pages_;
  PageBuffer buffer_;
  std::vector<double> dictionary_;
  bool has_dictionary_ = false;
  Index left_in_chunk_ = 0, left_in_page_ = 0;  // values, missing ones included
  std::vector<std::uint8_t> present_;           // of the page: 1 or 0; empty if none is missing
  Index missing_ = 0;                           // in the page
  std::unique_ptr<Values> values_;
};

}  // namespace polyak::io::parquet
