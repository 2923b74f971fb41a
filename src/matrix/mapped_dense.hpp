#pragma once

// Rows that are copied, mapped and then handed to the dense kernels, a block at
// a time that stays in the first or second cache: each row is still read from
// memory once. Products in other units alone need no copy (in_units).

#include <algorithm>
#include <vector>

#include "kernels/dense.hpp"
#include "kernels/reference.hpp"
#include "matrix/column_map.hpp"

namespace polyak {

/// `Load` copies row i of A as doubles: load(i, out).
template <class Load>
class MappedDense final : public MappedMatrix {
 public:
  MappedDense(MatrixPtr A, ColumnMap map, Load load)
      : MappedMatrix(std::move(A), std::move(map)),
        load_(load),
        block_(std::clamp<Index>(block_numbers / std::max<Index>(1, cols()), 1, most_rows)) {}

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    if (units_only())
      return in_units(
          x, g, [&](ConstView y, View sum) { A_->gradient(rows, weights, scale, y, b, sum); });
    in_blocks(std::ssize(rows), [&](Index t, Index count, const auto& block) {
      load(block, count, [&](Index k) { return rows[to_size(t + k)]; });
      ask(rows, t + count);
      const View rhs = gather(b, rows.subspan(to_size(t), to_size(count)));
      kernels::gradient(block, {count, nullptr, weights.data() + t}, scale.a, scale.b, x, rhs, g,
                        nullptr);
    });
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    if (units_only())
      return in_units(x, g, [&](ConstView y, View sum) {
        A_->range_gradient(first, last, weights, scale, y, b, sum, residual2);
      });
    in_range(first, last, [&](Index i, Index count, const auto& block) {
      const double* w = weights.empty() ? nullptr : weights.data() + (i - first);
      kernels::gradient(block, {count, nullptr, w}, scale.a, scale.b, x,
                        ConstView{b.row(i), count, b.cols, b.stride}, g, residual2.data());
    });
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    if (units_only())
      return in_units(x, {}, [&](ConstView scaled, View) { A_->multiply(first, last, scaled, y); });
    in_range(first, last, [&](Index i, Index count, const auto& block) {
      kernels::multiply(block, x, View{y.row(i - first), count, y.cols, y.stride});
    });
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    if (units_only())
      return in_units({}, g, [&](ConstView, View sum) { A_->add_transposed(first, last, y, sum); });
    in_range(first, last, [&](Index i, Index count, const auto& block) {
      kernels::add_transposed(block, ConstView{y.row(i - first), count, y.cols, y.stride}, g);
    });
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    in_blocks(std::ssize(rows), [&](Index t, Index count, const auto& block) {
      load(block, count, [&](Index k) { return rows[to_size(t + k)]; });
      ask(rows, t + count);
      const View rhs = gather(b, rows.subspan(to_size(t), to_size(count)));
      kernels::kaczmarz(block, {count, nullptr, steps.data() + t}, scale, rhs, x);
    });
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    in_range(first, last, [&](Index i, Index count, const auto& block) {
      kernels::norms(block, count, scale, row_norms2.data() + (i - first),
                     column_norms2.empty() ? nullptr : column_norms2.data());
    });
  }

  double max_abs(Index first, Index last) const override {
    double largest = 0.0;
    in_range(first, last, [&](Index, Index count, const auto& block) {
      const double m = kernels::max_abs(block.data, count * block.stride);
      if (!(m <= largest)) largest = m;  // and stays NaN once it is
    });
    return largest;
  }

 private:
  static constexpr Index block_numbers = 4096, most_rows = 16;

  // body(t, count, block) for each block of `total` rows. The memory is the
  // thread's own, and grows to what is asked for once.
  template <class Body>
  void in_blocks(Index total, Body body) const {
    thread_local std::vector<double> room;
    const Index stride = (cols() + 7) / 8 * 8;
    if (std::ssize(room) < block_ * stride) room.resize(to_size(block_ * stride));
    std::fill_n(room.begin(), block_ * stride, 0.0);
    for (Index t = 0; t < total; t += block_)
      body(t, std::min(block_, total - t), Block{room.data(), stride, cols()});
  }

  template <class Body>
  void in_range(Index first, Index last, Body body) const {
    in_blocks(last - first, [&](Index t, Index count, const Block& block) {
      load(block, count, [&](Index k) { return first + t + k; });
      body(first + t, count, block);
    });
  }

  using Block = kernels::DenseBlock<double>;

  template <class RowAt>
  void load(const Block& block, Index count, RowAt row_at) const {
    for (Index k = 0; k < count; ++k) {
      double* row = const_cast<double*>(block.data) + k * block.stride;
      load_(row_at(k), row);
      map_row(row);
    }
  }

  // Rows of a list lie anywhere: those of the next block are fetched meanwhile.
  void ask(std::span<const Index> rows, Index from) const {
    const std::size_t first = std::min(to_size(from), rows.size());
    A_->prefetch(rows.subspan(first, std::min(rows.size() - first, to_size(block_))));
  }

  static View gather(ConstView b, std::span<const Index> rows) {
    thread_local std::vector<double> room;
    room.resize(std::max(room.size(), rows.size() * to_size(b.cols)));
    const View out{room.data(), std::ssize(rows), b.cols, b.cols};
    for (Index k = 0; k < out.rows; ++k) std::copy_n(b.row(rows[to_size(k)]), b.cols, out.row(k));
    return out;
  }

  Load load_;
  Index block_;
};

}  // namespace polyak
