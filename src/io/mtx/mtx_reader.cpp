#include <cmath>
#include <limits>
#include <utility>

#include "io/csr.hpp"
#include "io/mtx/mtx.hpp"
#include "io/rows.hpp"

namespace polyak::internal::io {
namespace {

// Two passes over the text: the first counts the entries of each row, the second stores them in
// CSR. No triplets are kept, so the memory is that of the matrix for any order of the file.
template <class Value, class Column>
class CoordinateReader {
 public:
  CoordinateReader(const Lines& lines, const MtxHeader& header, const ReadOptions& options,
                   const std::string& name)
      : start_(lines), lines_(lines), header_(header), options_(options), name_(name) {}

  Table read() {
    count();
    fill();
    sort_rows(csr_);
    merge_repeats(csr_, options_.duplicates, name_);
    Table table;
    if (!nonfinite_.empty()) table.dropped_rows = drop_rows(csr_, nonfinite_);
    table.A = csr_matrix(std::move(csr_));
    return table;
  }

 private:
  struct Entry {
    Index row, col;
    const char* rest;  // start of the value
    const char* end;
  };

  bool next_entry(Entry& entry) {
    std::string_view line;
    if (!lines_.next(line)) return false;
    entry.end = line.data() + line.size();
    const char* p = parse_position(line.data(), entry.end, header_.rows, entry.row);
    entry.rest = parse_position(skip_blanks(p, entry.end), entry.end, header_.cols, entry.col);
    return true;
  }

  // A row or column number: counted from 1 in the file, from 0 in `position`.
  const char* parse_position(const char* p, const char* end, Index size, Index& position) {
    const char* stop = parse_index(p, end, position);
    if (stop == nullptr || (stop != end && *stop != ' ' && *stop != '\t'))
      lines_.fail_number({p, static_cast<std::size_t>(token_end(p, end) - p)});
    if (position < 1 || position > size)
      lines_.fail("an entry lies outside the matrix", std::to_string(position),
                  "1 to " + std::to_string(size));
    --position;
    return stop;
  }

  void count() {
    csr_.cols = header_.cols;
    csr_.row_start.assign(to_size(header_.rows) + 1, 0);
    Index found = 0;
    for (Entry e; next_entry(e); ++found) {
      if (found == header_.stored)
        lines_.fail("the file holds more entries than its header states", {},
                    std::to_string(header_.stored));
      ++csr_.row_start[to_size(e.row) + 1];
      if (mirrored(e)) ++csr_.row_start[to_size(e.col) + 1];
    }
    if (found != header_.stored)
      lines_.fail("the file holds fewer entries than its header states", std::to_string(found),
                  std::to_string(header_.stored));
    for (std::size_t i = 1; i < csr_.row_start.size(); ++i)
      csr_.row_start[i] += csr_.row_start[i - 1];
  }

  bool mirrored(const Entry& e) const {
    if (header_.symmetry == MtxSymmetry::skew && e.row == e.col)
      lines_.fail("a skew-symmetric matrix has an entry on its diagonal");
    return header_.symmetry != MtxSymmetry::general && e.row != e.col;
  }

  void fill() {
    csr_.columns.resize(to_size(csr_.row_start.back()));
    csr_.values.resize(to_size(csr_.row_start.back()));
    const double sign = header_.symmetry == MtxSymmetry::skew ? -1.0 : 1.0;
    lines_ = start_;
    for (Entry e; next_entry(e);) {
      const double value = value_of(e);
      put(e.row, e.col, value);
      if (mirrored(e)) put(e.col, e.row, sign * value);
    }
    // Storing advanced each row start to the next one; shift them back.
    for (std::size_t i = csr_.row_start.size() - 1; i > 0; --i)
      csr_.row_start[i] = csr_.row_start[i - 1];
    csr_.row_start[0] = 0;
  }

  void put(Index row, Index col, double value) {
    if (!std::isfinite(value)) mark(row);
    const auto k = to_size(csr_.row_start[to_size(row)]++);
    csr_.columns[k] = static_cast<Column>(col);
    csr_.values[k] = narrow<Value>(value, row, col, name_);
  }

  void mark(Index row) {
    if (!options_.drop_nonfinite_rows) return;
    nonfinite_.resize(to_size(header_.rows));
    nonfinite_[to_size(row)] = true;
  }

  double value_of(const Entry& e) {
    const char* p = skip_blanks(e.rest, e.end);
    double value = 1.0;
    if (header_.field != MtxField::pattern) {
      const char* stop = parse_number(p, e.end, value);
      if (stop == nullptr || (stop != e.end && *stop != ' ' && *stop != '\t'))
        lines_.fail_number({p, static_cast<std::size_t>(token_end(p, e.end) - p)});
      if (!std::isfinite(value) && !options_.drop_nonfinite_rows && !options_.keep_nonfinite)
        lines_.fail_nonfinite({p, static_cast<std::size_t>(stop - p)});
      p = skip_blanks(stop, e.end);
    }
    if (p != e.end)
      lines_.fail("an entry is followed by other text",
                  excerpt({p, static_cast<std::size_t>(e.end - p)}));
    return value;
  }

  Lines start_;
  Lines lines_;
  MtxHeader header_;
  ReadOptions options_;
  std::string name_;
  Csr<Value, Column> csr_;
  std::vector<bool> nonfinite_;
};

template <class Value>
Table read_as(const Lines& lines, const MtxHeader& header, const ReadOptions& options,
              const std::string& name) {
  if (header.cols <= std::numeric_limits<std::int32_t>::max())
    return CoordinateReader<Value, std::int32_t>(lines, header, options, name).read();
  return CoordinateReader<Value, Index>(lines, header, options, name).read();
}

// The values of an array: one per line in the standard, any blanks between them are accepted.
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

  // By columns; of a symmetric matrix the part on and below the diagonal.
  std::vector<double> read() {
    for (Index j = 0; j < header_.cols; ++j)
      for (Index i = first_row(j); i < header_.rows; ++i) put(i, j, next());
    double value = 0.0;
    if (values_.next(value))
      values_.fail("the file holds more entries than its header states", {},
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
      values_.fail("the file holds fewer entries than its header states", std::to_string(found_),
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

Table read_mtx_coordinate(Lines lines, const MtxHeader& header, const ReadOptions& options,
                          const std::string& name) {
  if (options.single) return read_as<float>(lines, header, options, name);
  return read_as<double>(lines, header, options, name);
}

Table read_mtx_array(Lines lines, const MtxHeader& header, const ReadOptions& options,
                     const std::string& name) {
  auto values = ArrayReader(std::move(lines), header, options).read();
  Table table;
  table.A = dense_matrix(std::move(values), header.rows, header.cols);
  if (!options.single && !options.drop_nonfinite_rows) return table;
  return load_rows(matrix_rows(*table.A), options, name);
}

Table read_mtx(const MappedFile& file, const ReadOptions& options) {
  Lines lines(file, '%');
  const MtxHeader header = parse_mtx_header(lines, file.size(), file.name());
  if (header.coordinate) return read_mtx_coordinate(lines, header, options, file.name());
  return read_mtx_array(lines, header, options, file.name());
}

}  // namespace polyak::internal::io
