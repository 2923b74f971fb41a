#pragma once

// From "all entries are in their rows" to the order that CSR promises:
// columns ascend and do not repeat.

#include <algorithm>
#include <utility>
#include <vector>

#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak::io {

/// Sorts each row by column; repeats keep the order of the file.
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

/// Joins repeated columns of sorted rows, in place.
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

/// Takes out the rows that are marked; returns how many.
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

}  // namespace polyak::io
