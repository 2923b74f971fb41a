#pragma once

// Where rows lie: dense row-major and CSR, each a view plus whatever keeps the
// memory alive. An owned matrix is a view of a vector it keeps alive.

#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/dense.hpp"
#include "kernels/sparse.hpp"
#include "polyak/matrices.hpp"

namespace polyak {

template <class Value>
std::string precision_name() {
  return std::is_same_v<Value, double> ? "double" : "single";
}

template <class Value>
struct DenseRows {
  MatrixView<const Value> view;
  std::shared_ptr<const void> keep_alive;
  ReadBytes read = {};  // of single rows; empty reads them where they lie

  Index rows() const { return view.rows; }
  Index cols() const { return view.cols; }
  Index nonzeros() const { return view.size(); }
  double bytes() const { return static_cast<double>(view.size()) * sizeof(Value); }
  std::string kind() const { return "dense, " + precision_name<Value>(); }
  kernels::DenseRow<Value> row(Index i) const { return {view.row(i), view.cols}; }
  void copy(Index first, Index last, View out) const {
    constexpr Index few = 4;
    const bool apart = std::is_same_v<Value, double> && read && last - first <= few;
    for (Index i = first; i < last; ++i) {
      if (apart)
        read(view.row(i), to_size(view.cols) * sizeof(Value), out.row(i - first));
      else
        row(i).copy(out.row(i - first));
    }
  }
  void prefetch(Index i) const {
    constexpr Index line = 64 / static_cast<Index>(sizeof(Value));
    for (Index j = 0; j < view.cols; j += line) __builtin_prefetch(view.row(i) + j);
  }
  /// The rows from `first` on.
  kernels::DenseBlock<Value> from(Index first) const {
    return {view.row(first), view.stride, view.cols};
  }
};

template <class Value, class Column>
struct CsrRows {
  std::span<const Index> row_start;
  std::span<const Column> columns;
  std::span<const Value> values;
  Index cols_count;
  std::shared_ptr<const void> keep_alive;

  Index rows() const { return static_cast<Index>(row_start.size()) - 1; }
  Index cols() const { return cols_count; }
  Index nonzeros() const { return static_cast<Index>(values.size()); }
  double products() const {
    double sum = 0.0;
    for (std::size_t i = 1; i < row_start.size(); ++i) {
      const auto k = static_cast<double>(row_start[i] - row_start[i - 1]);
      sum += k * k;
    }
    return sum;
  }
  double bytes() const {
    return static_cast<double>(values.size()) * (sizeof(Value) + sizeof(Column)) +
           static_cast<double>(row_start.size()) * sizeof(Index);
  }
  std::string kind() const {
    return "csr, " + precision_name<Value>() + ", " + std::to_string(8 * sizeof(Column)) +
           "-bit columns";
  }
  void prefetch(Index) const {}  // where a row lies would have to be read first
  kernels::SparseRow<Value, Column> row(Index i) const { return from(0).row(i); }
  void copy(Index first, Index last, View out) const {
    for (Index i = first; i < last; ++i) row(i).copy(out.row(i - first));
  }
  kernels::SparseBlock<Value, Column> from(Index first) const {
    return {row_start.data() + first, columns.data(), values.data(), cols_count};
  }
};

}  // namespace polyak
