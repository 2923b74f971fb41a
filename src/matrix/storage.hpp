#pragma once

// Matrices in memory: DenseRows and CsrRows hold the rows (a view, and a pointer that keeps
// its memory alive), TypedMatrix implements RowMatrix for either, and as_stored finds out
// which one a given RowMatrix is.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/dense.hpp"
#include "kernels/sparse.hpp"
#include "polyak/matrices.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak::internal {

template <class Value>
std::string precision_name() {
  return std::is_same_v<Value, double> ? "double" : "single";
}

template <class Value>
struct DenseRows {
  MatrixView<const Value> view;
  std::shared_ptr<const void> keep_alive;
  ReadBytes read = {};  // for single rows; if empty, they are read through the view

  Index rows() const { return view.rows; }
  Index cols() const { return view.cols; }
  Index nonzeros() const { return view.size(); }
  double bytes() const { return static_cast<double>(view.size()) * sizeof(Value); }
  std::string kind() const { return "dense, " + precision_name<Value>(); }
  kernels::DenseRow<Value> row(Index i) const { return {view.row(i), view.cols}; }
  void copy(Index first, Index last, View out) const {
    constexpr Index max_single_rows = 4;  // more are read through the view
    const bool singly = std::is_same_v<Value, double> && read && last - first <= max_single_rows;
    for (Index i = first; i < last; ++i) {
      if (singly)
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
  double products() const {  // see RowMatrix::gram_products
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
  void prefetch(Index) const {}  // the start of the row would have to be read first
  kernels::SparseRow<Value, Column> row(Index i) const { return from(0).row(i); }
  void copy(Index first, Index last, View out) const {
    for (Index i = first; i < last; ++i) row(i).copy(out.row(i - first));
  }
  kernels::SparseBlock<Value, Column> from(Index first) const {
    return {row_start.data() + first, columns.data(), values.data(), cols_count};
  }
};

/// RowMatrix for any storage that the kernels support. `Rows` has rows(), cols(), nonzeros(),
/// bytes(), kind(), row(i), copy(), prefetch(i), and from(i), the block of rows that is the
/// argument of kernels/dense.hpp or sparse.hpp.
template <class Rows>
class TypedMatrix final : public RowMatrix {
 public:
  explicit TypedMatrix(Rows rows) : storage_(std::move(rows)) {}

  const Rows& storage() const { return storage_; }
  Index rows() const override { return storage_.rows(); }
  Index cols() const override { return storage_.cols(); }
  Index nonzeros() const override { return storage_.nonzeros(); }
  double gram_products() const override {
    if constexpr (requires { storage_.products(); })
      return storage_.products();
    else
      return RowMatrix::gram_products();
  }
  std::string kind() const override { return storage_.kind(); }
  double bytes() const override { return storage_.bytes(); }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    kernels::gradient(storage_.from(0), list(rows, weights), scale.a, scale.b, x, b, g, nullptr);
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    const kernels::RowList rows{last - first, nullptr, weights.empty() ? nullptr : weights.data()};
    kernels::gradient(storage_.from(first), rows, scale.a, scale.b, x,
                      ConstView{b.row(first), last - first, b.cols, b.stride}, g, residual2.data());
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    kernels::multiply(storage_.from(first), x, View{y.data, last - first, y.cols, y.stride});
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    kernels::add_transposed(storage_.from(first), ConstView{y.data, last - first, y.cols, y.stride},
                            g);
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    kernels::kaczmarz(storage_.from(0), list(rows, steps), scale, b, x);
  }

  void kaczmarz_within(std::span<const Index> rows, std::span<const double> steps, double scale,
                       ConstView b, std::span<const double> lower, std::span<const double> upper,
                       View x) const override {
    if constexpr (requires { storage_.row(0).clamp(nullptr, nullptr, nullptr); })
      kernels::reference::kaczmarz(
          [&](Index i) {
            return kernels::reference::BoundedRow{storage_.row(i), lower.data(), upper.data()};
          },
          list(rows, steps), scale, b, x);
    else
      RowMatrix::kaczmarz_within(rows, steps, scale, b, lower, upper, x);
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    kernels::norms(storage_.from(first), last - first, scale, row_norms2.data(),
                   column_norms2.empty() ? nullptr : column_norms2.data());
  }

  void column_norms(Index first, Index last, std::span<const double> weights, double scale,
                    std::span<double> norms2) const override {
    for (Index i = first; i < last; ++i) {
      const double w = weights.empty() ? 1.0 : weights[to_size(i - first)];
      if (w > 0.0) storage_.row(i).add_squares(scale * std::sqrt(w), norms2.data());
    }
  }

  double max_abs(Index first, Index last) const override {
    double largest = 0.0;
    for (Index i = first; i < last; ++i) {
      const auto a = storage_.row(i);
      const double m = kernels::max_abs(a.values(), a.stored());
      if (std::isnan(m)) return m;
      largest = std::max(largest, m);
    }
    return largest;
  }

  void copy_rows(Index first, Index last, View out) const override {
    storage_.copy(first, last, out);
  }

  void prefetch(std::span<const Index> rows) const override {
    for (const Index i : rows) storage_.prefetch(i);
  }

 private:
  static kernels::RowList list(std::span<const Index> rows, std::span<const double> weights) {
    return {std::ssize(rows), rows.data(), weights.data()};
  }

  Rows storage_;
};

/// visit(storage) with the storage of A, a DenseRows or CsrRows; null for any other A.
template <class Visit>
MatrixPtr as_stored(const RowMatrix& A, Visit visit) {
  MatrixPtr out;
  const auto try_as = [&]<class Rows>(const Rows*) {
    const auto* typed = dynamic_cast<const TypedMatrix<Rows>*>(&A);
    if (typed != nullptr) out = visit(typed->storage());
    return typed != nullptr;
  };
  using Narrow = std::int32_t;
  const auto known = [&]<class... Rows>() {
    return (try_as(static_cast<const Rows*>(nullptr)) || ...);
  };
  known
      .template operator()<DenseRows<double>, DenseRows<float>, CsrRows<double, Narrow>,
                           CsrRows<double, Index>, CsrRows<float, Narrow>, CsrRows<float, Index>>();
  return out;
}

}  // namespace polyak::internal
