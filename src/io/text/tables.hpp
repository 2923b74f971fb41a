#pragma once

// The two text tables.
// Comma-separated values: numbers, quoted or not, separated by commas, semicolons or tabs, with or
// without a header line of names. Lines that start with '#' are comments. A row is one line: a
// newline inside quotes is an error. Lines that repeat the header line are skipped: files that were
// put together by `cat` have them.
// SVMlight: "label index:value index:value ... # comment". Indices count from 1 and ascend; a file
// that uses index 0 counts from 0. "qid:" is ignored.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/column_choice.hpp"
#include "io/file.hpp"
#include "io/rows.hpp"
#include "io/text/text.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

/// Separator, names and number of cells, found from the first line.
struct CsvLayout {
  char separator = ',';
  bool header = false;
  std::vector<std::string> names;  ///< one per cell; empty without a header
  std::string header_line = {};    ///< as it is in the file
  Index cells = 0;                 ///< per row
};
constexpr char csv_comment = '#';

CsvLayout sniff_csv(const MappedFile& file);
CsvLayout sniff_csv(Lines lines);
/// The lines of the file, from the first row of data on.
Lines csv_data(const MappedFile& file, const CsvLayout& layout);
/// The cells of a line, quotes removed.
std::vector<std::string> split_cells(const Lines& lines, std::string_view line, char separator);
/// Parses a cell; the value of a missing one (empty, NA, null, ...) is NaN. Returns the position
/// after it (a separator or the end), or nullptr if it is not a number.
const char* parse_cell(const char* p, const char* end, char separator, double& value);

/// The rows of a table: its columns, and its lines as numbers. Immutable, for any number of
/// threads.
class CsvRowReader {
 public:
  /// `name` of the file, for messages. `skip_names`: a first column with the name "name" is
  /// skipped.
  CsvRowReader(CsvLayout layout, const ReadOptions& options, std::string name,
               bool skip_names = false);

  const CsvLayout& layout() const { return layout_; }
  Index cols() const;
  bool has_rhs() const { return choice_.rhs >= 0; }
  std::vector<std::string> names() const;  ///< of the columns of A
  std::string rhs_name() const;

  /// Fills `row` (cols() numbers) and, with a right-hand side, `rhs`; the line is the last of
  /// `lines`, which are for messages.
  void read(const Lines& lines, std::string_view line, double* row, double* rhs) const;

 private:
  enum class Cell : char { skipped, matrix, rhs };

  const char* skip_cell(const char* p, const char* end) const;
  void check_nonfinite(const Lines& lines, std::string_view line, Index j) const;
  [[noreturn]] void fail_cell(const Lines& lines, std::string_view line, Index j) const;
  [[noreturn]] void fail_count(const Lines& lines, std::string_view line) const;
  std::string place(Index j) const;
  std::string advice(const Lines& lines, const std::vector<std::string>& cells) const;

  CsvLayout layout_;
  bool intercept_, any_value_;
  std::string name_;
  ColumnChoice choice_;
  std::vector<Cell> cells_;
};

/// Error bad_data, naming file and column, unless both tables have the same columns.
void check_same_columns(const CsvLayout& first, const std::string& first_name,
                        const CsvLayout& layout, const std::string& name);

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

}  // namespace polyak::io
