#pragma once

// Sparse rows. Reading: the entries of each row are sorted by column and repeated columns are
// merged, as CSR requires. Writing: the entries of any matrix, row by row.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "io/rows.hpp"
#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak::internal::io {

/// Sorts each row by column; repeated columns keep the order of the file.
template <class Value, class Column>
void sort_rows(Csr<Value, Column>& csr) {
  std::vector<std::pair<Column, Value>> row;
  for (Index i = 0; i < csr.rows(); ++i) {
    const auto first = to_size(csr.row_start[to_size(i)]);
    const auto last = to_size(csr.row_start[to_size(i) + 1]);
    Column* columns = csr.columns.data();
    if (std::is_sorted(columns + first, columns + last)) continue;
    row.clear();
    for (auto k = first; k < last; ++k) row.emplace_back(columns[k], csr.values[k]);
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto k = first; k < last; ++k) std::tie(columns[k], csr.values[k]) = row[k - first];
  }
}

[[noreturn]] inline void refuse_duplicate(const std::string& name, Index row, Index col) {
  throw Error(ErrorCode::bad_data,
              {.what = "an entry is given twice",
               .where = name,
               .found = "row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1),
               .hint = "--duplicates sum adds them up"});
}

/// Merges repeated columns of sorted rows, in place: adds them up, or Error bad_data.
template <class Value, class Column>
void merge_repeats(Csr<Value, Column>& csr, Duplicates duplicates, const std::string& name) {
  std::size_t out = 0;
  std::size_t k = 0;
  for (Index i = 0; i < csr.rows(); ++i) {
    const std::size_t row_first = out;
    for (const auto last = to_size(csr.row_start[to_size(i) + 1]); k < last; ++k) {
      const bool repeat = out > row_first && csr.columns[out - 1] == csr.columns[k];
      if (repeat && duplicates == Duplicates::error)
        refuse_duplicate(name, i, static_cast<Index>(csr.columns[k]));
      if (repeat) {
        csr.values[out - 1] += csr.values[k];
      } else {
        csr.columns[out] = csr.columns[k];
        csr.values[out++] = csr.values[k];
      }
    }
    csr.row_start[to_size(i)] = static_cast<Index>(row_first);
  }
  csr.row_start.back() = static_cast<Index>(out);
  csr.columns.resize(out);
  csr.values.resize(out);
}

/// Removes the marked rows; returns their number.
template <class Value, class Column>
Index drop_rows(Csr<Value, Column>& csr, const std::vector<bool>& marked) {
  std::size_t out = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const auto first = to_size(csr.row_start[i]);
    const auto last = to_size(csr.row_start[i + 1]);
    if (marked[i]) continue;
    std::copy(csr.columns.begin() + static_cast<Index>(first),
              csr.columns.begin() + static_cast<Index>(last),
              csr.columns.begin() + static_cast<Index>(out));
    std::copy(csr.values.begin() + static_cast<Index>(first),
              csr.values.begin() + static_cast<Index>(last),
              csr.values.begin() + static_cast<Index>(out));
    csr.row_start[kept++] = static_cast<Index>(out);
    out += last - first;
  }
  csr.row_start.resize(kept + 1);
  csr.row_start.back() = static_cast<Index>(out);
  csr.columns.resize(out);
  csr.values.resize(out);
  return static_cast<Index>(marked.size() - kept);
}

template <class Value, class Column>
const CsrRows<Value, Column>* as_csr(const RowMatrix& A) {
  const auto* typed = dynamic_cast<const TypedMatrix<CsrRows<Value, Column>>*>(&A);
  return typed != nullptr ? &typed->storage() : nullptr;
}

/// If A is CSR with these types, calls visit(i, columns, values) for every row and returns true.
template <class Value, class Column, class Visit>
bool visit_csr(const RowMatrix& A, Visit& visit) {
  const auto* csr = as_csr<Value, Column>(A);
  if (csr == nullptr) return false;
  for (Index i = 0; i < csr->rows(); ++i) {
    const auto first = to_size(csr->row_start[to_size(i)]);
    const auto count = to_size(csr->row_start[to_size(i) + 1]) - first;
    visit(i, csr->columns.subspan(first, count), csr->values.subspan(first, count));
  }
  return true;
}

/// The same for the nonzero entries of any matrix: copies blocks of rows.
template <class Visit>
void visit_dense(const RowMatrix& A, Visit& visit) {
  const Index rows = rows_per_block(A.cols());
  std::vector<double> block(to_size(rows * A.cols()));
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index first = 0; first < A.rows(); first += rows) {
    const Index last = std::min(A.rows(), first + rows);
    const View view{block.data(), last - first, A.cols(), A.cols()};
    A.copy_rows(first, last, view);
    for (Index i = first; i < last; ++i) {
      columns.clear();
      values.clear();
      for (Index j = 0; j < A.cols(); ++j) {
        if (view(i - first, j) == 0.0) continue;
        columns.push_back(j);
        values.push_back(view(i - first, j));
      }
      visit(i, std::span<const Index>(columns), std::span<const double>(values));
    }
  }
}

/// Calls visit(i, columns, values) for every row of A.
template <class Visit>
void for_each_row(const RowMatrix& A, Visit visit) {
  if (visit_csr<double, std::int32_t>(A, visit) || visit_csr<double, Index>(A, visit) ||
      visit_csr<float, std::int32_t>(A, visit) || visit_csr<float, Index>(A, visit))
    return;
  visit_dense(A, visit);
}

inline bool is_csr(const RowMatrix& A) {
  return as_csr<double, std::int32_t>(A) != nullptr || as_csr<double, Index>(A) != nullptr ||
         as_csr<float, std::int32_t>(A) != nullptr || as_csr<float, Index>(A) != nullptr;
}

}  // namespace polyak::internal::io
