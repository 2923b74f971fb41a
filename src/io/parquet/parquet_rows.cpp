#include <algorithm>
#include <array>
#include <cmath>

#include "io/parquet/column_reader.hpp"
#include "io/parquet/columns.hpp"
#include "io/parquet/parquet.hpp"
#include "io/stored.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

using parquet::Chunk;
using parquet::Column;
using parquet::ColumnReader;
using parquet::RowGroup;

// Values that are transposed together: eight columns fill a cache line of a row.
constexpr Index strip_columns = 8, strip_rows = 512;

class ParquetRows final : public RowSource {
 public:
  ParquetRows(std::shared_ptr<const MappedFile> file, const ReadOptions& options,
              const std::optional<RowRange>& part)
      : file_(std::move(file)),
        keep_(options.drop_nonfinite_rows || options.keep_nonfinite),
        intercept_(options.intercept),
        footer_(parquet::read_footer(*file_)),
        choice_(parquet::choose_columns(*file_, footer_, options)) {
    open_columns();
    const RowRange rows = part.value_or(RowRange{0, footer_.rows});
    first_row_ = rows.first;
    left_ = rows.last - rows.first;
    skip_to(rows.first);
  }

  Index cols() const override { return ssize(choice_.matrix) + intercept_; }
  bool has_rhs() const override { return choice_.rhs >= 0; }
  Index first_row() const override { return first_row_; }
  Index max_rows_left() const override { return left_; }

  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const Index j : choice_.matrix) out.push_back(column(j).name);
    if (intercept_) out.emplace_back("intercept");
    return out;
  }
  std::string rhs_name() const override { return has_rhs() ? column(choice_.rhs).name : "rhs"; }
  bool single() const override {
    return std::all_of(choice_.matrix.begin(), choice_.matrix.end(), [&](Index j) {
      return column(j).number == parquet::Number::float32 ||
             column(j).number == parquet::Number::float16;
    });
  }

  // Rows of one row group at a time.
  Index read(View A, std::span<double> b) override {
    while (left_ > 0 && left_in_group_ == 0) open_group();
    const Index count = std::min({A.rows, left_, left_in_group_});
    for (Index first = 0; first < count; first += strip_rows)
      read_strip({A.row(first), std::min(strip_rows, count - first), A.cols, A.stride},
                 has_rhs() ? b.data() + first : nullptr);
    if (!keep_) check_finite({A.data, count, A.cols, A.stride}, b);
    pass(count);
    return count;
  }

 private:
  const Column& column(Index j) const { return footer_.columns[to_size(j)]; }

  void open_columns() {
    const std::vector<Index> used = choice_.all();
    check_claimed_size(std::array{footer_.rows, ssize(used)}, file_->size(), file_->name());
    for (const Index j : used) {
      parquet::check_chunks(*file_, footer_, column(j));
      readers_.emplace_back(*file_, column(j), scratch_);
    }
  }

  // Row groups before `row` are not opened at all.
  void skip_to(Index row) {
    while (group_ < footer_.groups.size() && row - next_row_ >= footer_.groups[group_].rows)
      next_row_ += footer_.groups[group_++].rows;
    if (left_ == 0 || row == next_row_) return;
    open_group();
    const Index passed = row - next_row_;
    for (ColumnReader& reader : readers_) reader.skip(passed);
    left_in_group_ -= passed;
    next_row_ = row;
  }

  void open_group() {
    if (group_ > 0) release(footer_.groups[group_ - 1]);
    const RowGroup& group = footer_.groups[group_++];
    left_in_group_ = group.rows;
    if (group.rows == 0) return;  // it need not have pages
    const std::vector<Index> used = choice_.all();
    for (std::size_t k = 0; k < used.size(); ++k)
      readers_[k].open(group.chunks[column(used[k]).leaf]);
  }

  // Of a file larger than memory, a row group that was read is not needed any more.
  void release(const RowGroup& group) {
    Index end = 0;
    for (const Index j : choice_.all()) {
      const Chunk& chunk = group.chunks[column(j).leaf];
      end = std::max(end, chunk.first + chunk.bytes);
    }
    releaser_.release_up_to(to_size(end));
  }

  void read_strip(View A, double* b) {
    const Index count = ssize(choice_.matrix);
    for (Index j = 0; j < count; j += strip_columns) {
      const Index width = std::min(strip_columns, count - j);
      for (Index k = 0; k < width; ++k)
        readers_[to_size(j + k)].read(strip_.data() + k * strip_rows, A.rows);
      transpose(A, j, width);
    }
    for (Index i = 0; intercept_ && i < A.rows; ++i) A(i, count) = 1.0;
    if (b != nullptr) readers_.back().read(b, A.rows);
  }

  void transpose(View A, Index first, Index width) const {
    for (Index i = 0; i < A.rows; ++i) {
      double* row = A.row(i) + first;
      for (Index k = 0; k < width; ++k) row[k] = strip_[to_size(k * strip_rows + i)];
    }
  }

  void pass(Index count) {
    left_ -= count;
    left_in_group_ -= count;
    next_row_ += count;
  }

  void check_finite(ConstView A, std::span<const double> b) const {
    for (Index i = 0; i < A.rows; ++i) {
      const double* row = A.row(i);
      bool finite = !has_rhs() || std::isfinite(b[to_size(i)]);
      for (Index j = 0; j < A.cols; ++j) finite &= std::isfinite(row[j]);
      if (!finite) refuse_row(row, has_rhs() ? b[to_size(i)] : 0.0, i);
    }
  }

  // Names the first value of the row, in the order of the table.
  [[noreturn]] void refuse_row(const double* row, double rhs, Index i) const {
    const auto& matrix = choice_.matrix;
    const Index bad =
        std::find_if_not(row, row + ssize(matrix), [](double v) { return std::isfinite(v); }) - row;
    const bool in_A = bad < ssize(matrix);
    const bool in_b = !std::isfinite(rhs) && (!in_A || choice_.rhs < matrix[to_size(bad)]);
    const Index j = in_b ? choice_.rhs : matrix[to_size(bad)];
    const double value = in_b ? rhs : row[bad];
    throw Error(ErrorCode::bad_data,
                {.what = "a value is missing or not finite in column " + std::to_string(j + 1) +
                         " (" + column(j).name + ")",
                 .where = file_->name() + ", row " + std::to_string(next_row_ + i + 1),
                 .found = std::isnan(value) ? "null or NaN" : number_text(value),
                 .expected = "a finite number",
                 .hint = "--drop-nonfinite-rows skips such rows"});
  }

  std::shared_ptr<const MappedFile> file_;
  bool keep_;
  bool intercept_;
  parquet::Footer footer_;
  ColumnChoice choice_;
  parquet::PageBuffer scratch_;
  std::vector<ColumnReader> readers_;  // in the order of choice_.all()
  Index first_row_ = 0, next_row_ = 0, left_ = 0;
  std::size_t group_ = 0;  // the next one
  Index left_in_group_ = 0;
  std::vector<double> strip_ = std::vector<double>(to_size(strip_columns * strip_rows));
  PageReleaser releaser_{*file_};
};

}  // namespace

std::unique_ptr<RowSource> parquet_rows(const std::shared_ptr<const MappedFile>& file,
                                        const ReadOptions& options,
                                        const std::optional<RowRange>& rows) {
  return std::make_unique<ParquetRows>(file, options, rows);
}

}  // namespace polyak::io
