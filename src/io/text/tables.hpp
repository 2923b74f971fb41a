#pragma once

// Comma-separated values: numbers between commas, semicolons or tabs, perhaps
// under a line of names, perhaps quoted. Lines that start with '#' are
// comments. A row is a line: quotes do not hide newlines.
// SVMlight: "label index:value index:value ... # comment". Indices count from
// 1 and ascend; a file that uses index 0 counts from 0. "qid:" is passed over.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "io/text/text.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

/// What the first line tells.
struct CsvLayout {
  char separator = ',';
  bool header = false;
  std::vector<std::string> names;  ///< one per cell; empty without a header
  Index cells = 0;                 ///< per row
};

CsvLayout sniff_csv(const MappedFile& file);
/// Lines at the first row of data.
Lines csv_data(const MappedFile& file, const CsvLayout& layout);
/// The cells of a line, quotes removed.
std::vector<std::string> split_cells(const Lines& lines, std::string_view line, char separator);
/// Which cell a user means by a name or a number from 1; usage if none.
Index find_column(const CsvLayout& layout, const std::string& wanted, const std::string& name);

/// Reads a cell: its value, NaN when it says so or is missing. Returns the
/// position behind it (a separator or the end), nullptr if it is no number.
const char* parse_cell(const char* p, const char* end, char separator, double& value);

/// `skip_names`: a first column named "name" is passed over.
std::unique_ptr<RowSource> csv_rows(const std::shared_ptr<const MappedFile>& file,
                                    const ReadOptions& options, bool skip_names = false);

/// The same for the rows in one of so many equal pieces of the file. Each piece
/// is counted first, so that every other can number its lines.
struct CsvPiece {
  Index k = 0, pieces = 1;
  Index lines_before = 0, rows_before = 0, rows_in_all = 0;
};
std::unique_ptr<RowSource> csv_rows(const std::shared_ptr<const MappedFile>& file,
                                    const ReadOptions& options, const CsvPiece& piece);
struct CsvCounts {
  Index rows = 0, lines = 0;
};
CsvCounts count_csv(const MappedFile& file, Index k, Index pieces);

FileInfo inspect_csv(const MappedFile& file);

/// Names are written when there are any; b becomes the last column.
std::unique_ptr<RowSink> csv_sink(const std::string& path, const std::vector<std::string>& names,
                                  const std::optional<std::string>& rhs_name);

Table read_svm(const MappedFile& file, const ReadOptions& options);
FileInfo inspect_svm(const MappedFile& file);

/// Labels are 0 where there is no b.
void write_svm(const std::string& path, const RowMatrix& A, const Array& b);

}  // namespace polyak::io
