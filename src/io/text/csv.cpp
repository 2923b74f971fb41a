#include <algorithm>
#include <cmath>

#include "io/format.hpp"
#include "io/text/tables.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

class CsvRows final : public RowSource {
 public:
  CsvRows(std::shared_ptr<const MappedFile> file, const ReadOptions& options, bool skip_names)
      : file_(std::move(file)),
        reader_(sniff_csv(*file_), options, file_->name(), skip_names),
        lines_(csv_data(*file_, reader_.layout())) {}

  CsvRows(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options,
          const CsvPiece& piece)
      : CsvRows(file, options, false) {
    lines_ = lines_.piece(piece.k, piece.pieces);
    if (piece.k > 0) lines_.number_after(piece.lines_before);
    first_row_ = piece.rows_before;
    seen_rows_ = piece.rows_in_all > 0;
  }

  Index cols() const override { return reader_.cols(); }
  bool has_rhs() const override { return reader_.has_rhs(); }
  Index first_row() const override { return first_row_; }
  std::vector<std::string> names() const override { return reader_.names(); }
  std::string rhs_name() const override { return reader_.rhs_name(); }

  // Counts the lines, so that the memory is allocated once. A row of d cells has at least d bytes
  // (with its newline): if the file has fewer, a row is incomplete and reading stops there.
  Index max_rows_left() const override {
    Lines lines = lines_;
    Index rows = 0;
    for (std::string_view line; lines.next(line);) ++rows;
    return std::min(rows, static_cast<Index>(lines_.left() + 1) / reader_.layout().cells);
  }

  Index read(View A, std::span<double> b) override {
    Index count = 0;
    for (std::string_view line; count < A.rows && lines_.next(line); ++count)
      reader_.read(lines_, line, A.row(count), has_rhs() ? &b[to_size(count)] : nullptr);
    if (count == 0 && !seen_rows_) lines_.fail("the file has a header line but no rows");
    seen_rows_ = true;
    releaser_.release_up_to(lines_.position());
    return count;
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  CsvRowReader reader_;
  Lines lines_;
  Index first_row_ = 0;
  bool seen_rows_ = false;
  PageReleaser releaser_{*file_};
};

class CsvSink final : public RowSink {
 public:
  CsvSink(const std::string& path, const std::vector<std::string>& names,
          const std::optional<std::string>& rhs_name)
      : out_(open_output(path)) {
    if (names.empty()) return;
    write_cells(names, [&](const std::string& name) { out_.cell(name); });
    if (rhs_name) {
      out_.put(',');
      out_.cell(*rhs_name);
    }
    out_.end_line();
  }

  void write(ConstView A, std::span<const double> b) override {
    for (Index i = 0; i < A.rows; ++i) {
      const std::span<const double> row(A.row(i), to_size(A.cols));
      write_cells(row, [&](double value) { out_.number(value); });
      if (!b.empty()) {
        if (A.cols > 0) out_.put(',');
        out_.number(b[to_size(i)]);
      }
      out_.end_line();
    }
  }

  void finish() override { out_.commit(); }

 private:
  template <class Cells, class Write>
  void write_cells(const Cells& cells, Write write_one) {
    bool first = true;
    for (const auto& cell : cells) {
      if (!first) out_.put(',');
      write_one(cell);
      first = false;
    }
  }

  TextWriter out_;
};

}  // namespace

CsvRowReader::CsvRowReader(CsvLayout layout, const ReadOptions& options, std::string name,
                           bool skip_names)
    : layout_(std::move(layout)),
      intercept_(options.intercept),
      any_value_(options.drop_nonfinite_rows || options.keep_nonfinite),
      name_(std::move(name)) {
  choice_ = choose_columns(layout_.names, layout_.cells, options, name_);
  if (skip_names && layout_.header && layout_.names.front() == "name")
    std::erase(choice_.matrix, Index{0});
  cells_.assign(to_size(layout_.cells), Cell::skipped);
  for (const Index j : choice_.matrix) cells_[to_size(j)] = Cell::matrix;
  if (has_rhs()) cells_[to_size(choice_.rhs)] = Cell::rhs;
}

Index CsvRowReader::cols() const { return ssize(choice_.matrix) + intercept_; }

std::vector<std::string> CsvRowReader::names() const {
  std::vector<std::string> out;
  if (layout_.header)
    for (const Index j : choice_.matrix) out.push_back(layout_.names[to_size(j)]);
  if (intercept_ && layout_.header) out.emplace_back("intercept");
  return out;
}

std::string CsvRowReader::rhs_name() const {
  return layout_.header && has_rhs() ? layout_.names[to_size(choice_.rhs)] : "rhs";
}

void CsvRowReader::read(const Lines& lines, std::string_view line, double* row, double* rhs) const {
  const char* p = line.data();
  const char* end = p + line.size();
  for (Index j = 0; j < layout_.cells; ++j) {
    double value = 0.0;
    const Cell kind = cells_[to_size(j)];
    const char* stop =
        kind == Cell::skipped ? skip_cell(p, end) : parse_cell(p, end, layout_.separator, value);
    if (stop == nullptr) fail_cell(lines, line, j);
    if (!std::isfinite(value)) check_nonfinite(lines, line, j);
    if ((stop == end) != (j + 1 == layout_.cells)) fail_count(lines, line);
    p = stop + (stop != end);
    if (kind == Cell::matrix)
      *row++ = value;
    else if (kind == Cell::rhs)
      *rhs = value;
  }
  if (intercept_) *row = 1.0;
}

// A text may contain quoted separators.
const char* CsvRowReader::skip_cell(const char* p, const char* end) const {
  bool quoted = false;
  for (; p != end && (quoted || *p != layout_.separator); ++p)
    if (*p == '"') quoted = !quoted;
  return p;
}

void CsvRowReader::check_nonfinite(const Lines& lines, std::string_view line, Index j) const {
  if (any_value_) return;
  const auto cells = split_cells(lines, line, layout_.separator);
  if (ssize(cells) != layout_.cells) fail_count(lines, line);
  lines.fail_nonfinite(cells[to_size(j)], place(j));
}

void CsvRowReader::fail_cell(const Lines& lines, std::string_view line, Index j) const {
  const auto cells = split_cells(lines, line, layout_.separator);
  const std::string& cell = cells[to_size(std::min(j, ssize(cells) - 1))];
  if (line.find('\0') != std::string_view::npos) lines.fail_number(cell);
  const bool comma = layout_.separator != ',' && cell.find(',') != std::string::npos;
  lines.fail("not a number" + place(j), excerpt(cell), "a number",
             comma ? "use a decimal point instead of a comma" : advice(lines, cells));
}

// Columns that hold no numbers in this line can be left out, unless one of them is b.
std::string CsvRowReader::advice(const Lines& lines, const std::vector<std::string>& cells) const {
  if (ssize(cells) != layout_.cells || lines.at_cut()) return "";
  std::vector<Index> texts;
  for (const Index j : choice_.matrix) {
    const std::string& cell = cells[to_size(j)];
    double value = 0.0;
    const char* const end = cell.data() + cell.size();
    if (parse_cell(cell.data(), end, layout_.separator, value) != end) texts.push_back(j);
  }
  const std::string option = leaving_out(layout_.names, texts);
  if (option.empty()) return "";
  return option + " leaves out what is not a number in this line";
}

void CsvRowReader::fail_count(const Lines& lines, std::string_view line) const {
  const auto cells = split_cells(lines, line, layout_.separator);
  lines.fail("a row has the wrong number of cells", std::to_string(cells.size()),
             std::to_string(layout_.cells),
             lines.at_cut() ? "nothing ends this last line: the input may have been cut off" : "");
}

std::string CsvRowReader::place(Index j) const {
  const std::string number = " in column " + std::to_string(j + 1);
  return layout_.header ? number + " (" + layout_.names[to_size(j)] + ")" : number;
}

std::unique_ptr<RowSource> csv_rows(const std::shared_ptr<const MappedFile>& file,
                                    const ReadOptions& options, bool skip_names) {
  return std::make_unique<CsvRows>(file, options, skip_names);
}

std::unique_ptr<RowSource> csv_rows(const std::shared_ptr<const MappedFile>& file,
                                    const ReadOptions& options, const CsvPiece& piece) {
  return std::make_unique<CsvRows>(file, options, piece);
}

std::unique_ptr<RowSink> csv_sink(const std::string& path, const std::vector<std::string>& names,
                                  const std::optional<std::string>& rhs_name) {
  return std::make_unique<CsvSink>(path, names, rhs_name);
}

}  // namespace polyak::io
