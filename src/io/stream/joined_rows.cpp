#include "io/stream/joined_rows.hpp"

#include <utility>

#include "io/format.hpp"
#include "io/text/tables.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

class JoinedRows final : public RowSource {
 public:
  JoinedRows(std::vector<std::string> paths, const ReadOptions& options)
      : paths_(std::move(paths)), options_(options) {
    for (const std::string& path : paths_) count(path);
    if (max_rows_ == 0)
      throw Error(ErrorCode::bad_data, {.what = "the files have header lines but no rows",
                                        .where = paths_.front() + " and others"});
    open();
  }

  Index cols() const override { return rows_->cols(); }
  bool has_rhs() const override { return rows_->has_rhs(); }
  std::vector<std::string> names() const override { return rows_->names(); }
  std::string rhs_name() const override { return rows_->rhs_name(); }
  Index max_rows_left() const override { return max_rows_ - read_; }

  Index read(View A, std::span<double> b) override {
    for (;;) {
      const Index got = rows_->read(A, b);
      read_ += got;
      if (got > 0 || next_ + 1 >= kept_.size()) return got;
      ++next_;
      open();
    }
  }

 private:
  std::shared_ptr<const MappedFile> opened(const std::string& path) const {
    const Input input = open_input(path, false, options_.memory_bytes);
    check_options(input, options_);
    return input.file;
  }

  // Compares the columns and counts the rows; a file without rows is passed over.
  void count(const std::string& path) {
    const auto file = opened(path);
    const CsvLayout layout = sniff_csv(*file);
    if (first_.cells == 0) first_ = layout;
    check_same_columns(first_, paths_.front(), layout, path);
    const Index rows = count_csv(*file, 0, 1).rows;
    if (rows > 0) kept_.push_back(path);
    max_rows_ += rows;
  }

  void open() { rows_ = csv_rows(opened(kept_[next_]), options_); }

  std::vector<std::string> paths_, kept_;
  ReadOptions options_;
  CsvLayout first_;
  std::size_t next_ = 0;
  std::unique_ptr<RowSource> rows_;
  Index max_rows_ = 0, read_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> joined_rows(const std::vector<std::string>& paths,
                                       const ReadOptions& options) {
  return std::make_unique<JoinedRows>(paths, options);
}

}  // namespace polyak::io
