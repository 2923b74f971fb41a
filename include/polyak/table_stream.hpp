#pragma once

/// \file table_stream.hpp
/// Text tables (.csv and .tsv, compressed or not) of any length: from files, several as one table,
/// from standard input and pipes. Their rows are read once, for solve_stream().

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "polyak/io.hpp"
#include "polyak/row_stream.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The rows of one or several tables, one after the other. Line numbers in messages are those of
/// the file.
class TableStream : public RowStream {
 public:
  /// Names of the columns of A; empty if the tables have none.
  virtual std::vector<std::string> names() const = 0;
  virtual Index inputs() const = 0;       ///< files
  virtual double text_bytes() const = 0;  ///< of the rows read so far, decompressed
  /// A file, among those read to their end, whose last row no newline ends: it may have been cut
  /// off. Empty if there is none.
  virtual std::string unended_input() const = 0;
  /// The part of all files that has been read; nothing for pipes, whose length is not known.
  virtual std::optional<double> share_read() const = 0;
};

/// What was opened: all of it, in memory, or rows that can be read once.
struct OpenedTable {
  Table table;
  std::unique_ptr<TableStream> stream;  ///< then `table` is empty
};

/// Reads the table, or opens it as a stream: where options.storage is `stream`; and where it is
/// `automatic` and standard input or a pipe holds a text table of more than stream_threshold().
/// Several paths are one table of the rows of all files, which must have the same columns.
OpenedTable open_table(const std::vector<std::string>& paths, const ReadOptions& options = {});

/// Bytes of text up to which a pipe is read into memory: 64 MB, or a sixteenth of the memory that
/// may be used.
double stream_threshold(double memory_bytes);

/// True for names that end in .csv or .tsv, or in these and .gz or .zst.
bool is_text_table(const std::string& path);

/// Sizes of text tables, from their lengths and first megabytes.
struct TableEstimate {
  Index cells = 0;  ///< per row
  double rows = 0.0;
  double text_bytes = 0.0;  ///< decompressed
};
TableEstimate estimate_table(const std::vector<std::string>& paths);

}  // namespace polyak
#pragma GCC visibility pop
