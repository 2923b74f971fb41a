#pragma once

// The RowMatrix operations written once for any storage the kernels know.
// `Rows` offers rows(), cols(), nonzeros(), bytes(), kind(), row(i) and
// from(i), the block of rows that kernels/dense.hpp or sparse.hpp takes.

#include <cmath>
#include <utility>

#include "kernels/dense.hpp"
#include "kernels/sparse.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

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

}  // namespace polyak
