#include <algorithm>

#include "core/large_arrays.hpp"
#include "matrix/as_stored.hpp"
#include "matrix/column_map.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

template <class Value>
MatrixPtr copied(const DenseRows<Value>& dense, std::span<const Index> rows) {
  std::vector<Value> values = large_vector<Value>(rows.size() * to_size(dense.cols()));
  Value* to = values.data();
  for (const Index i : rows) to = std::copy_n(dense.view.row(i), dense.cols(), to);
  return dense_matrix(std::move(values), std::ssize(rows), dense.cols());
}

template <class Value, class Column>
MatrixPtr copied(const CsrRows<Value, Column>& csr, std::span<const Index> rows) {
  Csr<Value, Column> out;
  out.cols = csr.cols();
  out.row_start.push_back(0);
  for (const Index i : rows) {
    const Index from = csr.row_start[to_size(i)], to = csr.row_start[to_size(i) + 1];
    out.columns.insert(out.columns.end(), csr.columns.begin() + from, csr.columns.begin() + to);
    out.values.insert(out.values.end(), csr.values.begin() + from, csr.values.begin() + to);
    out.row_start.push_back(std::ssize(out.values));
  }
  return csr_matrix(std::move(out));
}

}  // namespace

MatrixPtr listed_rows(const RowMatrix& A, std::span<const Index> rows) {
  if (const auto* mapped = dynamic_cast<const MappedMatrix*>(&A)) {
    const MatrixPtr inner = listed_rows(*mapped->inner(), rows);
    return inner ? mapped_columns(inner, mapped->map()) : nullptr;
  }
  return as_stored(A, [&](const auto& stored) { return copied(stored, rows); });
}

}  // namespace polyak
