#include <cmath>
#include <utility>

#include "io/mtx.hpp"
#include "io/rows.hpp"

namespace polyak::io {
namespace {

// The values of an array, one to a line in the standard, though any blanks
// between them will do.
class Values {
 public:
  Values(Lines lines, bool allow_nonfinite)
      : lines_(std::move(lines)), allow_nonfinite_(allow_nonfinite) {}

  bool next(double& value) {
    while (p_ == end_) {
      std::string_view line;
      if (!lines_.next(line)) return false;
      p_ = line.data();
      end_ = p_ + line.size();
    }
    const char* stop = parse_number(p_, end_, value);
    if (stop == nullptr || (stop != end_ && *stop != ' ' && *stop != '\t'))
      lines_.fail_number({p_, static_cast<std::size_t>(token_end(p_, end_) - p_)});
    if (!std::isfinite(value) && !allow_nonfinite_)
      lines_.fail_nonfinite({p_, static_cast<std::size_t>(stop - p_)});
    p_ = skip_blanks(stop, end_);
    return true;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& found,
                         const std::string& expected) const {
    lines_.fail(what, found, expected);
  }

 private:
  Lines lines_;
  bool allow_nonfinite_;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
};

class ArrayReader {
 public:
  ArrayReader(Lines lines, const MtxHeader& header, const ReadOptions& options)
      : values_(std::move(lines), options.drop_nonfinite_rows || options.keep_nonfinite),
        header_(header),
        dense_(to_size(header.rows * header.cols)) {}

  // Column by column, below the diagonal where the rest is known by symmetry.
  std::vector<double> read() {
    for (Index j = 0; j < header_.cols; ++j)
      for (Index i = first_row(j); i < header_.rows; ++i) put(i, j, next());
    double value = 0.0;
    if (values_.next(value))
      values_.fail("the file holds more entries than it claims", {},
                   std::to_string(header_.stored));
    return std::move(dense_);
  }

 private:
  Index first_row(Index j) const {
    if (header_.symmetry == MtxSymmetry::general) return 0;
    return header_.symmetry == MtxSymmetry::skew ? j + 1 : j;
  }

  double next() {
    double value = 0.0;
    if (!values_.next(value))
      values_.fail("the file ends before all its entries", std::to_string(found_),
                   std::to_string(header_.stored));
    ++found_;
    return value;
  }

  void put(Index i, Index j, double value) {
    dense_[to_size(i * header_.cols + j)] = value;
    if (header_.symmetry == MtxSymmetry::general || i == j) return;
    const double sign = header_.symmetry == MtxSymmetry::skew ? -1.0 : 1.0;
    dense_[to_size(j * header_.cols + i)] = sign * value;
  }

  Values values_;
  MtxHeader header_;
  std::vector<double> dense_;
  Index found_ = 0;
};

}  // namespace

Table read_mtx_array(Lines lines, const MtxHeader& header, const ReadOptions& options,
                     const std::string& name) {
  auto values = ArrayReader(std::move(lines), header, options).read();
  Table table;
  table.A = dense_matrix(std::move(values), header.rows, header.cols);
  if (!options.single && !options.drop_nonfinite_rows) return table;
  return collect(matrix_rows(*table.A), options, name);
}

Table read_mtx(const MappedFile& file, const ReadOptions& options) {
  Lines lines(file, '%');
  const MtxHeader header = parse_mtx_header(lines, file.size(), file.name());
  if (header.coordinate) return read_mtx_coordinate(lines, header, options, file.name());
  return read_mtx_array(lines, header, options, file.name());
}

}  // namespace polyak::io
