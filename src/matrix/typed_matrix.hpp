#pragma once

// The RowMatrix operations written once for any storage that can hand out a
// row. `Rows` offers rows(), cols(), nonzeros(), bytes(), kind() and row(i),
// whose result has dot, add_to, add_squares, copy (kernels/reference.hpp).

#include <utility>

#include "kernels/reference.hpp"
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
  std::string kind() const override { return storage_.kind(); }
  double bytes() const override { return storage_.bytes(); }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const auto a = storage_.row(rows[t]);
      for (Index c = 0; c < x.rows; ++c) {
        const double r = scale.b * (a.dot(x.row(c)) - b(rows[t], c));
        a.add_to(weights[t] * r * scale.a, g.row(c));
      }
    }
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    for (Index i = first; i < last; ++i) {
      const auto a = storage_.row(i);
      const double w = weights.empty() ? 1.0 : weights[to_size(i - first)];
      for (Index c = 0; c < x.rows; ++c) {
        const double r = scale.b * (a.dot(x.row(c)) - b(i, c));
        residual2[to_size(c)] += w * r * r;
        a.add_to(w * r * scale.a, g.row(c));
      }
    }
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    for (Index i = first; i < last; ++i) {
      const auto a = storage_.row(i);
      for (Index c = 0; c < x.rows; ++c) y(i - first, c) = a.dot(x.row(c));
    }
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    for (Index i = first; i < last; ++i) {
      const auto a = storage_.row(i);
      for (Index c = 0; c < g.rows; ++c) a.add_to(y(i - first, c), g.row(c));
    }
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const auto a = storage_.row(rows[t]);
      for (Index c = 0; c < x.rows; ++c) {
        const double r = a.dot(x.row(c)) - b(rows[t], c);
        a.add_scaled_to(-(steps[t] * scale) * r, scale, x.row(c));
      }
    }
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    for (Index i = first; i < last; ++i) {
      const auto a = storage_.row(i);
      row_norms2[to_size(i - first)] = kernels::norm2(a.values(), a.stored(), scale);
      if (!column_norms2.empty()) a.add_squares(scale, column_norms2.data());
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
    for (Index i = first; i < last; ++i) storage_.row(i).copy(out.row(i - first));
  }

 private:
  Rows storage_;
};

}  // namespace polyak
