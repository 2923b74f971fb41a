#include <limits>
#include <utility>

#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"
#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak {
namespace {

[[noreturn]] void refuse(const std::string& what, Index row, const std::string& found,
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
      refuse("a column lies outside the matrix", i, std::to_string(column),
             "0 to " + std::to_string(csr.cols_count - 1));
    }
    if (column <= previous) {
      refuse("columns do not ascend", i,
             std::to_string(column) + " after " + std::to_string(previous), "a larger column");
    }
    previous = column;
  }
}

template <class Value, class Column>
MatrixPtr validated(CsrRows<Value, Column> csr) {
  if (csr.row_start.empty() || csr.row_start.front() != 0 || csr.cols_count < 0 ||
      csr.row_start.back() != csr.nonzeros() || csr.columns.size() != csr.values.size()) {
    refuse("the row starts do not fit the entries", 0,
           std::to_string(csr.columns.size()) + " columns and " +
               std::to_string(csr.values.size()) + " values",
           "row starts from 0 to that number");
  }
  for (Index i = 0; i < csr.rows(); ++i) {
    const Index first = csr.row_start[to_size(i)];
    const Index last = csr.row_start[to_size(i) + 1];
    if (last < first || last > csr.nonzeros()) {
      refuse("the row starts do not ascend", i, std::to_string(last),
             std::to_string(first) + " to " + std::to_string(csr.nonzeros()));
    }
    validate_row(csr, i);
  }
  return std::make_shared<TypedMatrix<CsrRows<Value, Column>>>(std::move(csr));
}

}  // namespace

template <class Value, class Column>
MatrixPtr csr_matrix(Csr<Value, Column> csr) {
  auto owner = std::make_shared<const Csr<Value, Column>>(std::move(csr));
  return validated(CsrRows<Value, Column>{owner->row_start, owner->columns, owner->values,
                                          owner->cols, owner});
}

template <class Value, class Column>
MatrixPtr csr_view(std::span<const Index> row_start, std::span<const Column> columns,
                   std::span<const Value> values, Index cols,
                   std::shared_ptr<const void> keep_alive) {
  return validated(
      CsrRows<Value, Column>{row_start, columns, values, cols, std::move(keep_alive)});
}

#define POLYAK_CSR(Value, Column)                                                              \
  template MatrixPtr csr_matrix(Csr<Value, Column>);                                           \
  template MatrixPtr csr_view(std::span<const Index>, std::span<const Column>,                 \
                              std::span<const Value>, Index, std::shared_ptr<const void>);
POLYAK_CSR(double, std::int32_t)
POLYAK_CSR(double, Index)
POLYAK_CSR(float, std::int32_t)
POLYAK_CSR(float, Index)
#undef POLYAK_CSR

}  // namespace polyak
