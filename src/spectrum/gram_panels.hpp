#pragma once

// Where the rows of a Gram matrix come from, for gram.cpp.

#include <algorithm>
#include <array>
#include <functional>

#include "kernels/gram.hpp"
#include "linalg/buffer.hpp"
#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"

namespace polyak {

template <class Value>
const DenseRows<Value>* dense_rows(const RowMatrix& A) {
  const auto* dense = dynamic_cast<const TypedMatrix<DenseRows<Value>>*>(&A);
  return dense ? &dense->storage() : nullptr;
}

// The rows of [A b] times their factors, panel by panel. Rows that lie in memory
// as numbers are packed from there and fetched ahead; others are copied first.
class GramPanels {
 public:
  GramPanels(const RowMatrix& A, ConstView b, const std::function<double(Index)>& factor)
      : A_(A), b_(b), factor_(factor), doubles_(dense_rows<double>(A)),
        floats_(dense_rows<float>(A)) {}

  Index rows() const { return A_.rows(); }
  Index columns() const { return A_.cols() + b_.cols; }

  // Rows [first, first + count) into rows `at`, at + 1, … of the panel.
  void pack(Index first, Index count, Index at, double* panel) const {
    std::array<double, to_size(kernels::panel_rows)> factors;
    for (Index t = 0; t < count; ++t) factors[to_size(t)] = factor_(first + t);
    if (doubles_) kernels::pack_rows(doubles_->from(first), factors.data(), at, count, panel);
    else if (floats_) kernels::pack_rows(floats_->from(first), factors.data(), at, count, panel);
    else pack_copies(first, count, at, factors.data(), panel);
    for (Index t = 0; t < count; ++t)
      for (Index c = 0; c < b_.cols; ++c)
        panel[kernels::panel_place(at + t, A_.cols() + c)] = factors[to_size(t)] * b_(first + t, c);
  }

  // Where the rows [first, last) lie; nothing for rows far apart.
  kernels::Coming coming(Index first, Index last) const {
    if (doubles_) return region(doubles_->view, first, last);
    return floats_ ? region(floats_->view, first, last) : kernels::Coming{};
  }

 private:
  void pack_copies(Index first, Index count, Index at, const double* factors,
                   double* panel) const {
    constexpr Index few = 16;
    Buffer rows(few, A_.cols());
    for (Index t = 0; t < count; t += few) {
      const Index here = std::min(few, count - t);
      A_.copy_rows(first + t, first + t + here, rows.view());
      kernels::pack_rows({rows.data(), A_.cols(), A_.cols()}, factors + t, at + t, here, panel);
    }
  }

  template <class Value>
  static kernels::Coming region(const MatrixView<const Value>& view, Index first, Index last) {
    if (first >= last || view.stride > 2 * view.cols) return {};
    const Index values = (last - first - 1) * view.stride + view.cols;
    return {view.row(first), values * static_cast<Index>(sizeof(Value))};
  }

  const RowMatrix& A_;
  ConstView b_;
  const std::function<double(Index)>& factor_;
  const DenseRows<double>* doubles_;
  const DenseRows<float>* floats_;
};

}  // namespace polyak
