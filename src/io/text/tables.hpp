#pragma once

// The two text tables.
// Comma-separated values: numbers, quoted or not, separated by commas, semicolons or tabs, with or
// without a header line of names. Lines that start with '#' are comments. A row is one line: a
// newline inside quotes is an error.
// SVMlight: "label index:value index:value ... # comment". Indices count from 1 and ascend; a file
// that uses index 0 counts from 0. "qid:" is ignored.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "io/text/text.hpp"
#include "polyak/io.hpp"

namespace polyak::internal::io {

/// Separator, names and number of cells, found from the first line.
struct CsvLayout {
  char separator = ',';
  bool header = false;
  std::vector<std::string> names;  ///< one per cell; empty without a header
  Index cells = 0;                 ///< per row
};

CsvLayout sniff_csv(const MappedFile& file);
/// The lines of the file, from the first row of data on.
Lines csv_data(const MappedFile& file, const CsvLayout& layout);
/// The cells of a line, quotes removed.
std::vector<std::string> split_cells(const Lines& lines, std::string_view line, char separator);
/// The index of a column given by its name or its number from 1; Error usage if there is none.
Index find_column(const CsvLayout& layout, const std::string& wanted, const std::string& name);

/// Parses a cell; the value of a missing one (empty, NA, null, ...) is NaN. Returns the position
/// after it (a separator or the end), or nullptr if it is not a number.
const char* parse_cell(const char* p, const char* end, char separator, double& value);

/// `skip_names`: a first column with the name "name" is skipped.
std::unique_ptr<RowSource> csv_rows(const std::shared_ptr<const MappedFile>& file,
                                    const ReadOptions& options, bool skip_names = false);

/// The rows of the k-th of `pieces` equal pieces of the file. The pieces are counted first
/// (count_csv), so that line and row numbers in messages are those of the whole file.
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

/// Writes a header line if there are names; b becomes the last column.
std::unique_ptr<RowSink> csv_sink(const std::string& path, const std::vector<std::string>& names,
                                  const std::optional<std::string>& rhs_name);

Table read_svm(const MappedFile& file, const ReadOptions& options);
FileInfo inspect_svm(const MappedFile& file);

/// Writes b as labels; 0 if b is empty.
void write_svm(const std::string& path, const RowMatrix& A, const Array& b);

}  // namespace polyak::internal::io
