#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/csr.hpp"
#include "io/format.hpp"
#include "io/rows.hpp"
#include "io/text/tables.hpp"
#include "io/text/text.hpp"

namespace polyak::internal::io {
namespace {

constexpr Index intercept_mark = -1;  // replaced by the number of the last column at the end

template <class Value, class Column>
class SvmReader {
 public:
  SvmReader(const MappedFile& file, const ReadOptions& options)
      : file_(file), lines_(file, '#'), options_(options) {
    // Each entry has a colon, so their number is an upper bound on the entries.
    const auto bytes = file.bytes();
    const auto entries = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), ':'));
    csr_.columns.reserve(entries);
    csr_.values.reserve(entries);
    csr_.row_start.push_back(0);
  }

  /// Reads all lines; false if an index does not fit the type of the columns.
  bool scan() {
    for (std::string_view line; lines_.next(line);) {
      read_row(line);
      if (too_wide()) break;
    }
    if (lines_seen_ == 0) lines_.fail("the file holds no data");
    check_dimensions(0, std::max<Index>(largest_, 0), file_.size(), file_.name());
    return !too_wide();  // always true for 64-bit columns
  }

  Table table() {
    number_columns();
    merge_repeats(csr_, options_.duplicates, file_.name());
    Table table;
    table.b = Array(std::move(labels_), csr_.rows());
    table.dropped_rows = lines_seen_ - csr_.rows();
    table.A = csr_matrix(std::move(csr_));
    return table;
  }

  bool counts_from_zero() const { return smallest_ == 0; }

 private:
  // Two column numbers are reserved: for indices from 0 and for the intercept.
  bool too_wide() const { return largest_ > Index{std::numeric_limits<Column>::max()} - 2; }
  Index columns() const { return largest_ < 0 ? 0 : largest_ + counts_from_zero(); }

  void read_row(std::string_view line) {
    if (line.find('\0') != std::string_view::npos) lines_.fail_number(line);
    line = line.substr(0, line.find('#'));
    ++lines_seen_;
    finite_ = true;
    previous_ = -1;
    const char* end = line.data() + line.size();
    const char* p = number(line.data(), end, label_);
    for (p = skip_blanks(p, end); p != end; p = skip_blanks(p, end)) p = read_pair(p, end);
    if (options_.intercept) add(intercept_mark, 1.0);
    finite_ || !options_.drop_nonfinite_rows ? keep_row() : drop_row();
  }

  const char* read_pair(const char* p, const char* end) {
    Index index = 0;
    const char* colon = parse_index(p, end, index);
    if (colon == nullptr || colon == end || *colon != ':') return skip_query(p, end);
    if (index < 0 || index < previous_)
      lines_.fail("the indices do not ascend",
                  std::to_string(index) + " after " + std::to_string(previous_));
    previous_ = index;
    double value = 0.0;
    p = number(colon + 1, end, value);
    add(index, value);
    return p;
  }

  // Query groups of rows ("qid:3") are ignored; any other token is an error.
  const char* skip_query(const char* p, const char* end) const {
    const std::string_view token(p, static_cast<std::size_t>(token_end(p, end) - p));
    if (!token.starts_with("qid:")) lines_.fail("not an entry", excerpt(token), "index:value");
    return p + token.size();
  }

  const char* number(const char* p, const char* end, double& value) {
    const char* stop = parse_number(p, end, value);
    if (stop == nullptr || (stop != end && *stop != ' ' && *stop != '\t'))
      lines_.fail_number({p, static_cast<std::size_t>(token_end(p, end) - p)});
    if (std::isfinite(value)) return stop;
    if (!options_.drop_nonfinite_rows && !options_.keep_nonfinite)
      lines_.fail_nonfinite({p, static_cast<std::size_t>(stop - p)});
    finite_ = false;
    return stop;
  }

  void add(Index index, double value) {
    if (index != intercept_mark) {
      smallest_ = std::min(smallest_, index);
      largest_ = std::max(largest_, index);
    }
    if (too_wide()) return;
    csr_.columns.push_back(static_cast<Column>(index));
    csr_.values.push_back(narrow<Value>(value, csr_.rows(), index, file_.name()));
  }

  void keep_row() {
    csr_.row_start.push_back(ssize(csr_.values));
    labels_.push_back(label_);
  }
  void drop_row() {
    csr_.columns.resize(to_size(csr_.row_start.back()));
    csr_.values.resize(to_size(csr_.row_start.back()));
  }

  void number_columns() {
    const auto shift = static_cast<Column>(counts_from_zero() ? 0 : 1);
    const auto last = static_cast<Column>(columns());
    for (Column& column : csr_.columns)
      column = column == intercept_mark ? last : static_cast<Column>(column - shift);
    csr_.cols = columns() + options_.intercept;
  }

  const MappedFile& file_;
  Lines lines_;
  ReadOptions options_;
  Csr<Value, Column> csr_;
  std::vector<double> labels_;
  double label_ = 0.0;
  bool finite_ = true;
  Index previous_ = -1;
  Index lines_seen_ = 0;
  Index smallest_ = 1;
  Index largest_ = -1;
};

template <class Value>
Table read_as(const MappedFile& file, const ReadOptions& options) {
  SvmReader<Value, std::int32_t> reader(file, options);
  if (reader.scan()) return reader.table();
  SvmReader<Value, Index> wide(file, options);
  wide.scan();
  return wide.table();
}

}  // namespace

Table read_svm(const MappedFile& file, const ReadOptions& options) {
  return options.single ? read_as<float>(file, options) : read_as<double>(file, options);
}

FileInfo inspect_svm(const MappedFile& file) {
  ReadOptions options;
  options.keep_nonfinite = true;
  SvmReader<double, Index> reader(file, options);
  reader.scan();
  const Table table = reader.table();
  FileInfo info;
  info.format = "SVMlight";
  info.value_type = "text";
  info.rows = table.A->rows();
  info.cols = table.A->cols();
  info.nonzeros = table.A->nonzeros();
  info.note = reader.counts_from_zero() ? "labels, indices from 0" : "labels";
  return info;
}

void write_svm(const std::string& path, const RowMatrix& A, const Array& b) {
  TextWriter out(open_output(path));
  for_each_row(A, [&](Index i, auto columns, auto values) {
    out.number(b.empty() ? 0.0 : b(i));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out.put(' ');
      out.integer(static_cast<Index>(columns[k]) + 1);
      out.put(':');
      out.number(static_cast<double>(values[k]));
    }
    out.end_line();
  });
  out.commit();
}

}  // namespace polyak::internal::io
