#include <algorithm>
#include <cmath>

#include "io/format.hpp"
#include "io/text/tables.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

class CsvRows final : public RowSource {
 public:
  CsvRows(std::shared_ptr<const MappedFile> file, const ReadOptions& options, bool skip_names)
      : file_(std::move(file)),
        options_(options),
        layout_(sniff_csv(*file_)),
        lines_(csv_data(*file_, layout_)) {
    if (options_.rhs_column) rhs_ = find_column(layout_, *options_.rhs_column, file_->name());
    if (skip_names && layout_.header && layout_.names.front() == "name") skipped_ = 0;
    cells_.resize(to_size(layout_.cells));
  }

  CsvRows(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options,
          const CsvPiece& piece)
      : CsvRows(file, options, false) {
    lines_ = lines_.piece(piece.k, piece.pieces);
    if (piece.k > 0) lines_.number_after(piece.lines_before);
    first_row_ = piece.rows_before;
    seen_rows_ = piece.rows_in_all > 0;
  }

  Index cols() const override {
    return layout_.cells - (rhs_ >= 0) - (skipped_ >= 0) + options_.intercept;
  }
  bool has_rhs() const override { return rhs_ >= 0; }
  Index first_row() const override { return first_row_; }

  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (Index j = 0; j < ssize(layout_.names); ++j)
      if (j != rhs_ && j != skipped_) out.push_back(layout_.names[to_size(j)]);
    if (options_.intercept && layout_.header) out.emplace_back("intercept");
    return out;
  }
  std::string rhs_name() const override {
    return layout_.header && rhs_ >= 0 ? layout_.names[to_size(rhs_)] : "rhs";
  }

  // Counts the lines, so that the memory is allocated once. A row of d cells has at least d bytes
  // (with its newline): if the file has fewer, a row is incomplete and reading stops there.
  Index max_rows_left() const override {
    Lines lines = lines_;
    Index rows = 0;
    for (std::string_view line; lines.next(line);) ++rows;
    return std::min(rows, static_cast<Index>(lines_.left() + 1) / layout_.cells);
  }

  Index read(View A, std::span<double> b) override {
    Index count = 0;
    for (std::string_view line; count < A.rows && lines_.next(line); ++count) {
      parse(line);
      distribute(A.row(count), b, count);
    }
    if (count == 0 && !seen_rows_) lines_.fail("the file has a header line but no rows");
    seen_rows_ = true;
    releaser_.release_up_to(lines_.position());
    return count;
  }

 private:
  void parse(std::string_view line) {
    const char* p = line.data();
    const char* end = p + line.size();
    for (Index j = 0; j < layout_.cells; ++j) {
      double& value = cells_[to_size(j)];
      const char* stop =
          j == skipped_ ? skip_cell(p, end) : parse_cell(p, end, layout_.separator, value);
      if (stop == nullptr) fail_cell(line, j);
      if (j != skipped_ && !std::isfinite(value)) check_nonfinite(line, j);
      if ((stop == end) != (j + 1 == layout_.cells)) fail_count(line);
      p = stop + (stop != end);
    }
  }

  // A name may contain quoted separators.
  const char* skip_cell(const char* p, const char* end) const {
    bool quoted = false;
    for (; p != end && (quoted || *p != layout_.separator); ++p)
      if (*p == '"') quoted = !quoted;
    return p;
  }

  void distribute(double* row, std::span<double> b, Index i) const {
    for (Index j = 0; j < layout_.cells; ++j)
      if (j != rhs_ && j != skipped_) *row++ = cells_[to_size(j)];
    if (options_.intercept) *row = 1.0;
    if (has_rhs()) b[to_size(i)] = cells_[to_size(rhs_)];
  }

  void check_nonfinite(std::string_view line, Index j) const {
    if (options_.drop_nonfinite_rows || options_.keep_nonfinite) return;
    const auto cells = split_cells(lines_, line, layout_.separator);
    if (ssize(cells) != layout_.cells) fail_count(line);
    lines_.fail_nonfinite(cells[to_size(j)], place(j));
  }

  [[noreturn]] void fail_cell(std::string_view line, Index j) const {
    const auto cells = split_cells(lines_, line, layout_.separator);
    const std::string& cell = cells[to_size(std::min(j, ssize(cells) - 1))];
    if (line.find('\0') != std::string_view::npos) lines_.fail_number(cell);
    const bool comma = layout_.separator != ',' && cell.find(',') != std::string::npos;
    lines_.fail("not a number" + place(j), excerpt(cell), "a number",
                comma ? "use a decimal point instead of a comma" : "");
  }

  [[noreturn]] void fail_count(std::string_view line) const {
    const auto cells = split_cells(lines_, line, layout_.separator);
    lines_.fail("a row has the wrong number of cells", std::to_string(cells.size()),
                std::to_string(layout_.cells));
  }

  std::string place(Index j) const {
    const std::string number = " in column " + std::to_string(j + 1);
    return layout_.header ? number + " (" + layout_.names[to_size(j)] + ")" : number;
  }

  std::shared_ptr<const MappedFile> file_;
  ReadOptions options_;
  CsvLayout layout_;
  Lines lines_;
  Index first_row_ = 0;
  Index rhs_ = -1;
  Index skipped_ = -1;
  std::vector<double> cells_;
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

}  // namespace polyak::internal::io
