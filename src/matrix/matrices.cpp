#include "polyak/matrices.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

// Dense matrices, CSR matrices, and CSR from triplets; each is checked when it is made.

namespace polyak {
using namespace polyak::internal;

namespace {

template <class Value>
MatrixPtr view_matrix(MatrixView<const Value> view, std::shared_ptr<const void> keep_alive,
                      ReadBytes read = {}) {
  const std::string shape = std::to_string(view.rows) + " x " + std::to_string(view.cols) +
                            ", stride " + std::to_string(view.stride);
  if (view.rows < 0 || view.cols < 0 || view.stride < view.cols) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix needs sizes of at least 0 and a stride of at least its "
                         "columns",
                 .found = shape});
  }
  constexpr Index max_values =
      std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(Value));
  if (view.rows > 0 && view.stride > max_values / view.rows) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix is larger than any memory", .found = shape});
  }
  if (view.data == nullptr && view.size() > 0) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix has no data", .found = "nothing", .expected = shape});
  }
  return std::make_shared<TypedMatrix<DenseRows<Value>>>(
      DenseRows<Value>{view, std::move(keep_alive), std::move(read)});
}

template <class Value>
MatrixPtr own_matrix(std::vector<Value> values, Index rows, Index cols) {
  if (rows < 0 || cols < 0 || (cols > 0 && ssize(values) / cols != rows) ||
      ssize(values) != rows * cols) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix does not have the size it claims",
                 .found = std::to_string(values.size()) + " values",
                 .expected = std::to_string(rows) + " x " + std::to_string(cols)});
  }
  auto owner = std::make_shared<const std::vector<Value>>(std::move(values));
  return view_matrix(MatrixView<const Value>{owner->data(), rows, cols, cols}, owner);
}

[[noreturn]] void refuse_row(const std::string& what, Index row, const std::string& found,
                             const std::string& expected) {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = "csr row " + std::to_string(row),
                                    .found = found,
                                    .expected = expected,
                                    .hint = "csr_from_triplets sorts entries and sums repeats"});
}

template <class Value, class Column>
void validate_row(const CsrRows<Value, Column>& csr, Index i) {
  Index previous = -1;
  for (Index k = csr.row_start[to_size(i)]; k < csr.row_start[to_size(i) + 1]; ++k) {
    const Index column = static_cast<Index>(csr.columns[to_size(k)]);
    if (column < 0 || column >= csr.cols_count) {
      refuse_row("a column lies outside the matrix", i, std::to_string(column),
                 "0 to " + std::to_string(csr.cols_count - 1));
    }
    if (column <= previous) {
      refuse_row("columns do not ascend", i,
                 std::to_string(column) + " after " + std::to_string(previous), "a larger column");
    }
    previous = column;
  }
}

template <class Value, class Column>
MatrixPtr validated(CsrRows<Value, Column> csr) {
  if (csr.row_start.empty() || csr.row_start.front() != 0 || csr.cols_count < 0 ||
      csr.row_start.back() != csr.nonzeros() || csr.columns.size() != csr.values.size()) {
    refuse_row("the row starts do not fit the entries", 0,
               std::to_string(csr.columns.size()) + " columns and " +
                   std::to_string(csr.values.size()) + " values",
               "row starts from 0 to that number");
  }
  for (Index i = 0; i < csr.rows(); ++i) {
    const Index first = csr.row_start[to_size(i)];
    const Index last = csr.row_start[to_size(i) + 1];
    if (last < first || last > csr.nonzeros()) {
      refuse_row("the row starts do not ascend", i, std::to_string(last),
                 std::to_string(first) + " to " + std::to_string(csr.nonzeros()));
    }
    validate_row(csr, i);
  }
  return std::make_shared<TypedMatrix<CsrRows<Value, Column>>>(std::move(csr));
}

void check_entry(const Triplet& e, Index rows, Index cols) {
  if (e.row >= 0 && e.row < rows && e.col >= 0 && e.col < cols) return;
  throw Error(ErrorCode::bad_data,
              {.what = "an entry lies outside the matrix",
               .found = "(" + std::to_string(e.row) + ", " + std::to_string(e.col) + ")",
               .expected = "row below " + std::to_string(rows) + ", column below " +
                           std::to_string(cols) + ", from 0"});
}

[[noreturn]] void refuse_duplicate(const Triplet& e) {
  throw Error(ErrorCode::bad_data, {.what = "an entry is given twice",
                                    .found = "row " + std::to_string(e.row + 1) + ", column " +
                                             std::to_string(e.col + 1),
                                    .hint = option_name("duplicates", "sum") + " adds them up"});
}

template <class Column>
MatrixPtr compress(const std::vector<Triplet>& entries, Index rows, Index cols,
                   Duplicates duplicates) {
  Csr<double, Column> csr;
  csr.cols = cols;
  csr.row_start.assign(to_size(rows) + 1, 0);
  csr.columns.reserve(entries.size());
  csr.values.reserve(entries.size());
  const Triplet* last = nullptr;
  for (const Triplet& e : entries) {
    if (last && last->row == e.row && last->col == e.col) {
      if (duplicates == Duplicates::error) refuse_duplicate(e);
      csr.values.back() += e.value;
    } else {
      csr.columns.push_back(static_cast<Column>(e.col));
      csr.values.push_back(e.value);
    }
    csr.row_start[to_size(e.row) + 1] = ssize(csr.values);
    last = &e;
  }
  for (std::size_t i = 1; i < csr.row_start.size(); ++i)
    csr.row_start[i] = std::max(csr.row_start[i], csr.row_start[i - 1]);
  return csr_matrix(std::move(csr));
}

}  // namespace

MatrixPtr dense_matrix(std::vector<double> values, Index rows, Index cols) {
  return own_matrix(std::move(values), rows, cols);
}
MatrixPtr dense_matrix(std::vector<float> values, Index rows, Index cols) {
  return own_matrix(std::move(values), rows, cols);
}
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive) {
  return view_matrix(view, std::move(keep_alive));
}
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive,
                     ReadBytes read) {
  return view_matrix(view, std::move(keep_alive), std::move(read));
}
MatrixPtr dense_view(MatrixView<const float> view, std::shared_ptr<const void> keep_alive) {
  return view_matrix(view, std::move(keep_alive));
}

template <class Value, class Column>
MatrixPtr csr_matrix(Csr<Value, Column> csr) {
  auto owner = std::make_shared<const Csr<Value, Column>>(std::move(csr));
  return validated(
      CsrRows<Value, Column>{owner->row_start, owner->columns, owner->values, owner->cols, owner});
}

template <class Value, class Column>
MatrixPtr csr_view(std::span<const Index> row_start, std::span<const Column> columns,
                   std::span<const Value> values, Index cols,
                   std::shared_ptr<const void> keep_alive) {
  return validated(CsrRows<Value, Column>{row_start, columns, values, cols, std::move(keep_alive)});
}

#define POLYAK_CSR(Value, Column)                                              \
  template MatrixPtr csr_matrix(Csr<Value, Column>);                           \
  template MatrixPtr csr_view(std::span<const Index>, std::span<const Column>, \
                              std::span<const Value>, Index, std::shared_ptr<const void>);
POLYAK_CSR(double, std::int32_t)
POLYAK_CSR(double, Index)
POLYAK_CSR(float, std::int32_t)
POLYAK_CSR(float, Index)
#undef POLYAK_CSR

MatrixPtr csr_from_triplets(std::vector<Triplet> entries, Index rows, Index cols,
                            Duplicates duplicates) {
  if (rows < 0 || cols < 0) {
    throw Error(ErrorCode::bad_data,
                {.what = "a matrix needs sizes of at least 0",
                 .found = std::to_string(rows) + " x " + std::to_string(cols)});
  }
  for (const Triplet& e : entries) check_entry(e, rows, cols);
  // Stable, so that repeated entries are summed in the given order.
  std::stable_sort(entries.begin(), entries.end(), [](const Triplet& a, const Triplet& b) {
    return std::pair(a.row, a.col) < std::pair(b.row, b.col);
  });
  if (cols <= std::numeric_limits<std::int32_t>::max())
    return compress<std::int32_t>(entries, rows, cols, duplicates);
  return compress<Index>(entries, rows, cols, duplicates);
}

}  // namespace polyak
