#include "io/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/large_arrays.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::internal::io {
namespace {

class MatrixRows final : public RowSource {
 public:
  MatrixRows(const RowMatrix& A, std::vector<std::string> names, Array b)
      : A_(A), names_(std::move(names)), b_(std::move(b)) {}
  Index cols() const override { return A_.cols(); }
  bool has_rhs() const override { return !b_.empty(); }
  std::vector<std::string> names() const override { return names_; }
  Index max_rows_left() const override { return A_.rows() - next_; }
  Index read(View A, std::span<double> b) override {
    const Index count = std::min(A.rows, A_.rows() - next_);
    A_.copy_rows(next_, next_ + count, A);
    for (Index i = 0; has_rhs() && i < count; ++i) b[to_size(i)] = b_(next_ + i);
    next_ += count;
    return count;
  }

 private:
  const RowMatrix& A_;
  std::vector<std::string> names_;
  Array b_;
  Index next_ = 0;
};

class FiniteRows final : public RowSource {
 public:
  explicit FiniteRows(std::unique_ptr<RowSource> source) : source_(std::move(source)) {}
  Index cols() const override { return source_->cols(); }
  bool has_rhs() const override { return source_->has_rhs(); }
  std::vector<std::string> names() const override { return source_->names(); }
  std::string rhs_name() const override { return source_->rhs_name(); }
  bool single() const override { return source_->single(); }
  Index dropped_rows() const override { return dropped_; }
  Index max_rows_left() const override { return source_->max_rows_left(); }

  Index read(View A, std::span<double> b) override {
    Index kept = 0;
    while (kept == 0) {
      const Index got = source_->read(A, b);
      if (got == 0) return 0;
      for (Index i = 0; i < got; ++i)
        if (is_finite(A, b, i)) move_row(A, b, i, kept++);
      dropped_ += got - kept;
    }
    return kept;
  }

 private:
  bool is_finite(View A, std::span<const double> b, Index i) const {
    const double* row = A.row(i);
    return std::all_of(row, row + A.cols, [](double v) { return std::isfinite(v); }) &&
           (!has_rhs() || std::isfinite(b[to_size(i)]));
  }
  void move_row(View A, std::span<double> b, Index from, Index to) const {
    if (from == to) return;
    std::copy_n(A.row(from), A.cols, A.row(to));
    if (has_rhs()) b[to_size(to)] = b[to_size(from)];
  }

  std::unique_ptr<RowSource> source_;
  Index dropped_ = 0;
};

template <class Value>
class MemorySink final : public RowSink {
 public:
  MemorySink(const RowSource& source, std::string name)
      : cols_(source.cols()),
        has_rhs_(source.has_rhs()),
        name_(std::move(name)),
        first_row_(source.first_row()) {
    const Index rows = source.max_rows_left(), values = checked_product(rows, cols_, name_);
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
Table load_rows_as(RowSource& source, const std::string& name) {
  MemorySink<Value> sink(source, name);
  transfer_rows(source, sink);
  Table table = sink.table();
  table.names = source.names();
  table.dropped_rows = source.dropped_rows();
  return table;
}

}  // namespace

Index rows_per_block(Index cols) {
  constexpr Index usual_values = 1 << 16;  // values that fit into the cache
  constexpr Index max_values = 1 << 22;    // upper bound for very wide rows
  const Index width = std::max<Index>(1, cols);
  return std::max<Index>(1,
                         std::min(std::max<Index>(16, usual_values / width), max_values / width));
}

void transfer_rows(RowSource& source, RowSink& sink) {
  const Index rows = rows_per_block(source.cols());
  // Not zeroed: a small file uses only a part of the block.
  const auto values = std::make_unique_for_overwrite<double[]>(to_size(rows * source.cols()));
  const auto b = std::make_unique_for_overwrite<double[]>(to_size(rows));
  const View block{values.get(), rows, source.cols(), source.cols()};
  while (const Index got = source.read(block, {b.get(), to_size(rows)})) {
    const std::span<const double> rhs(b.get(), source.has_rhs() ? to_size(got) : 0);
    sink.write({block.data, got, block.cols, block.stride}, rhs);
  }
  sink.finish();
}

std::unique_ptr<RowSource> matrix_rows(const RowMatrix& A, std::vector<std::string> names,
                                       Array b) {
  return std::make_unique<MatrixRows>(A, std::move(names), std::move(b));
}

std::unique_ptr<RowSource> finite_rows(std::unique_ptr<RowSource> source) {
  return std::make_unique<FiniteRows>(std::move(source));
}

Table load_rows(std::unique_ptr<RowSource> source, const ReadOptions& options,
                const std::string& name) {
  if (options.drop_nonfinite_rows) source = finite_rows(std::move(source));
  if (options.single || source->single()) return load_rows_as<float>(*source, name);
  return load_rows_as<double>(*source, name);
}

Index checked_product(Index a, Index b, const std::string& name) {
  Index product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw Error(ErrorCode::bad_data, {.what = "the product of the sizes exceeds 64 bits",
                                    .where = name,
                                    .found = std::to_string(a) + " x " + std::to_string(b)});
}

void check_dimensions(Index rows, Index cols, Index bytes, const std::string& name) {
  constexpr Index min_limit = 1 << 20;
  const Index limit = std::max(min_limit, bytes > (Index{1} << 58) ? bytes : 16 * bytes);
  if (rows >= 0 && cols >= 0 && rows <= limit && cols <= limit) return;
  throw Error(ErrorCode::bad_data, {.what = "the file states sizes that its length cannot hold",
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

}  // namespace polyak::internal::io
