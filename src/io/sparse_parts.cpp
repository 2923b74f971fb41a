// Compressed rows or columns from a file: checked and converted to sorted CSR.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/csr.hpp"
#include "io/rows.hpp"
#include "io/stored.hpp"

namespace polyak::internal::io {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what, Index found,
                         const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = name, .found = std::to_string(found), .expected = expected});
}

void check(const SparseParts& p, const std::string& name) {
  const Index lines = p.by_columns ? p.cols : p.rows, width = p.by_columns ? p.rows : p.cols;
  const Index stored = std::ssize(p.values);
  if (p.rows < 0 || p.cols < 0 || std::ssize(p.start) - 1 != lines)
    refuse(name, "the number of row or column starts of a sparse matrix does not match its shape",
           std::ssize(p.start), std::to_string(lines) + " + 1");
  if (std::ssize(p.index) != stored)
    refuse(name, "the numbers of indices and values of a sparse matrix differ", std::ssize(p.index),
           std::to_string(stored));
  if (p.start.front() != 0 || p.start.back() != stored)
    refuse(name, "the starts of a sparse matrix do not run from 0 to its number of values",
           p.start.back(), "0 to " + std::to_string(stored));
  for (std::size_t k = 1; k < p.start.size(); ++k)
    if (p.start[k] < p.start[k - 1])
      refuse(name, "the starts of a sparse matrix decrease", p.start[k], "ascending");
  for (Index j : p.index)
    if (j < 0 || j >= width)
      refuse(name, "an index lies outside the sparse matrix", j,
             "0 to " + std::to_string(width - 1));
}

// CSC to CSR: count the entries of each row, prefix sums, then scatter the entries.
SparseParts rows_from_columns(const SparseParts& p) {
  SparseParts out{.rows = p.rows, .cols = p.cols};
  out.start.assign(to_size(p.rows) + 1, 0);
  for (Index i : p.index) ++out.start[to_size(i) + 1];
  for (std::size_t i = 1; i < out.start.size(); ++i) out.start[i] += out.start[i - 1];
  out.index.resize(p.index.size());
  out.values.resize(p.values.size());
  for (Index j = 0; j < p.cols; ++j) {
    for (Index k = p.start[to_size(j)]; k < p.start[to_size(j) + 1]; ++k) {
      const auto to = to_size(out.start[to_size(p.index[to_size(k)])]++);
      out.index[to] = j;
      out.values[to] = p.values[to_size(k)];
    }
  }
  // The scatter advanced each row start to the next one; shift them back.
  for (std::size_t i = out.start.size() - 1; i > 0; --i) out.start[i] = out.start[i - 1];
  out.start[0] = 0;
  return out;
}

template <class Value, class Column>
Table csr_table(SparseParts& p, const ReadOptions& options, const std::string& name) {
  Csr<Value, Column> csr;
  csr.cols = p.cols;
  csr.columns.assign(p.index.begin(), p.index.end());
  csr.values.reserve(p.values.size());
  std::vector<bool> nonfinite(to_size(p.rows), false);
  for (Index i = 0; i < p.rows; ++i) {
    for (Index k = p.start[to_size(i)]; k < p.start[to_size(i) + 1]; ++k) {
      const double v = p.values[to_size(k)];
      if (!std::isfinite(v)) nonfinite[to_size(i)] = true;
      csr.values.push_back(narrow<Value>(v, p.first_row + i, p.index[to_size(k)], name));
    }
  }
  csr.row_start = std::move(p.start);
  sort_rows(csr);
  merge_repeats(csr, options.duplicates, name);
  Table table;
  if (options.drop_nonfinite_rows) table.dropped_rows = drop_rows(csr, nonfinite);
  table.A = csr_matrix(std::move(csr));
  return table;
}

template <class Value>
Table as(SparseParts& p, const ReadOptions& options, const std::string& name) {
  if (p.cols <= std::numeric_limits<std::int32_t>::max())
    return csr_table<Value, std::int32_t>(p, options, name);
  return csr_table<Value, Index>(p, options, name);
}

}  // namespace

Table table_of(SparseParts parts, const ReadOptions& options, const std::string& name) {
  if (parts.start.empty())
    refuse(name, "a sparse matrix has no row starts", 0, "one per row, and 1");
  check(parts, name);
  if (parts.by_columns) parts = rows_from_columns(parts);
  return options.single ? as<float>(parts, options, name) : as<double>(parts, options, name);
}

}  // namespace polyak::internal::io
