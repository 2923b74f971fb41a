#include <algorithm>
#include <utility>

#include "core/huge_pages.hpp"
#include "io/rows.hpp"
#include "io/text_writer.hpp"
#include "polyak/error.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::io {
namespace {

template <class Value>
class MemorySink final : public RowSink {
 public:
  MemorySink(const RowSource& source, std::string name)
      : cols_(source.cols()),
        has_rhs_(source.has_rhs()),
        name_(std::move(name)),
        first_row_(source.first_row()) {
    const Index rows = source.rows_at_most(), values = checked_product(rows, cols_, name_);
    check_room(static_cast<double>(values) * sizeof(Value), name_);
    values_.reserve(to_size(values));
    ask_for_huge_pages(values_.data(), values_.capacity() * sizeof(Value));
    if (has_rhs_) b_.reserve(to_size(rows));
  }

  void write(ConstView A, std::span<const double> b) override {
    for (Index i = 0; i < A.rows; ++i) {
      const double* row = A.row(i);
      for (Index j = 0; j < A.cols; ++j)
        values_.push_back(narrow<Value>(row[j], first_row_ + rows_ + i, j, name_));
    }
    rows_ += A.rows;
    if (has_rhs_) b_.insert(b_.end(), b.begin(), b.end());
  }
  void finish() override {}

  Table table() {
    Table out;
    out.A = dense_matrix(std::move(values_), rows_, cols_);
    if (has_rhs_) out.b = Array(std::move(b_), rows_);
    return out;
  }

 private:
  Index cols_;
  bool has_rhs_;
  std::string name_;
  Index first_row_;
  Index rows_ = 0;
  std::vector<Value> values_;
  std::vector<double> b_;
};

template <class Value>
Table collect_as(RowSource& source, const std::string& name) {
  MemorySink<Value> sink(source, name);
  pump(source, sink);
  Table table = sink.table();
  table.names = source.names();
  table.dropped_rows = source.dropped_rows();
  return table;
}

}  // namespace

Table collect(std::unique_ptr<RowSource> source, const ReadOptions& options,
              const std::string& name) {
  if (options.drop_nonfinite_rows) source = finite_rows(std::move(source));
  if (options.single || source->single()) return collect_as<float>(*source, name);
  return collect_as<double>(*source, name);
}

Index checked_product(Index a, Index b, const std::string& name) {
  Index product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw Error(ErrorCode::bad_data, {.what = "the sizes multiply to more than 64 bits can count",
                                    .where = name,
                                    .found = std::to_string(a) + " x " + std::to_string(b)});
}

void check_dimensions(Index rows, Index cols, Index bytes, const std::string& name) {
  constexpr Index always = 1 << 20;
  const Index limit = std::max(always, bytes > (Index{1} << 58) ? bytes : 16 * bytes);
  if (rows >= 0 && cols >= 0 && rows <= limit && cols <= limit) return;
  throw Error(ErrorCode::bad_data, {.what = "the file claims sizes that its length cannot fill",
                                    .where = name,
                                    .found = std::to_string(rows) + " x " + std::to_string(cols),
                                    .expected = "0 to " + std::to_string(limit) + " each in " +
                                                std::to_string(bytes) + " bytes"});
}

void fail_narrow(double value, Index row, Index col, const std::string& name) {
  throw Error(ErrorCode::bad_data, {.what = "a value is too large for single precision",
                                    .where = name + ", row " + std::to_string(row + 1) +
                                             ", column " + std::to_string(col + 1),
                                    .found = number_text(value),
                                    .hint = "use --precision double"});
}

}  // namespace polyak::io
