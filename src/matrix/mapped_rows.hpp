#pragma once

// The matrix Ã of column_map.hpp by the storage of A. Products in other units alone are
// computed by A itself (in_units). Otherwise:
//
// MappedDense copies and maps a block of rows that stays in the first- or second-level cache
// and passes it to the dense kernels: each row is still read from memory once.
//
// MappedSparse never makes a row dense. A column with an entry in every row is centred entry by
// entry, (a − entry_centre_j); of the other columns the centre is a term of rank one: in the
// residual
//   r_i = Σ_k unit_k·(a_ik − entry_centre_k)·z_k − (Σ_j unit_j·shared_j·z_j − unit_d·z_d) − b_i
// the part of shared_j = centre_j − entry_centre_j is one number per call, and in a sum of rows it
// is one vector. A column with a share f of empty entries has ‖ã_j‖² ≥ n·f·(unit·shared)², so that
// this difference loses little, while for a full column it could lose every digit.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/file_pages.hpp"
#include "kernels/dense.hpp"
#include "kernels/reference.hpp"
#include "matrix/column_map.hpp"
#include "matrix/row_lists.hpp"
#include "matrix/storage.hpp"

namespace polyak {

/// `Load` copies row i of A as doubles: load(i, out); and perhaps several rows: load.range(first,
/// out).
template <class Load>
class MappedDense final : public MappedMatrix {
 public:
  MappedDense(MatrixPtr A, ColumnMap map, Load load)
      : MappedMatrix(std::move(A), std::move(map)),
        load_(load),
        block_(std::clamp<Index>(block_numbers / std::max<Index>(1, cols()), 1, max_rows)) {}

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    if (units_only())
      return in_units(
          x, g, [&](ConstView y, View sum) { A_->gradient(rows, weights, scale, y, b, sum); });
    AnnouncedRows announced(*A_, rows);
    in_blocks(std::ssize(rows), [&](Index t, Index count, const auto& block) {
      announced.used(t);
      load(block, count, [&](Index k) { return rows[to_size(t + k)]; });
      prefetch_block(rows, t + count);
      if (A_->rows_ahead() > 0) count_file_places(b.data, count);
      const View rhs = gather_rows(b, rows.subspan(to_size(t), to_size(count)));
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
    PagesBehind rhs(b.data, to_size(b.stride) * sizeof(double), first),
        own(weights.data(), sizeof(double), 0);
    in_range(first, last, [&](Index i, Index count, const auto& block) {
      const double* w = weights.empty() ? nullptr : weights.data() + (i - first);
      kernels::gradient(block, {count, nullptr, w}, scale.a, scale.b, x,
                        ConstView{b.row(i), count, b.cols, b.stride}, g, residual2.data());
      rhs.used_up_to(i + count);
      own.used_up_to(i + count - first);
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
    AnnouncedRows announced(*A_, rows);
    in_blocks(std::ssize(rows), [&](Index t, Index count, const auto& block) {
      announced.used(t);
      load(block, count, [&](Index k) { return rows[to_size(t + k)]; });
      prefetch_block(rows, t + count);
      if (A_->rows_ahead() > 0) count_file_places(b.data, count);
      const View rhs = gather_rows(b, rows.subspan(to_size(t), to_size(count)));
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
      if (!(m <= largest) && !std::isnan(largest)) largest = m;  // NaN remains
    });
    return largest;
  }

 private:
  static constexpr Index block_numbers = 4096, max_rows = 16;

  // body(t, count, block) for each block of `total` rows. Each thread has its own buffer, which
  // is kept.
  template <class Body>
  void in_blocks(Index total, Body body) const {
    thread_local std::vector<double> buffer;
    const Index stride = (cols() + 7) / 8 * 8;
    if (std::ssize(buffer) < block_ * stride) buffer.resize(to_size(block_ * stride));
    std::fill_n(buffer.begin(), block_ * stride, 0.0);
    for (Index t = 0; t < total; t += block_)
      body(t, std::min(block_, total - t), Block{buffer.data(), stride, cols()});
  }

  template <class Body>
  void in_range(Index first, Index last, Body body) const {
    if (last - first > 1) A_->expect_range(first, last);
    in_blocks(last - first, [&](Index t, Index count, const Block& block) {
      load_range(block, first + t, count);
      body(first + t, count, block);
    });
  }

  using Block = kernels::DenseBlock<double>;

  void load_range(const Block& block, Index first, Index count) const {
    if constexpr (requires { load_.range(first, View{}); }) {
      const View rows{const_cast<double*>(block.data), count, d_, block.stride};
      load_.range(first, rows);
      for (Index k = 0; k < count; ++k) map_row(rows.row(k));
    } else {
      load(block, count, [&](Index k) { return first + k; });
    }
  }

  template <class RowAt>
  void load(const Block& block, Index count, RowAt row_at) const {
    for (Index k = 0; k < count; ++k) {
      double* row = const_cast<double*>(block.data) + k * block.stride;
      load_(row_at(k), row);
      map_row(row);
    }
  }

  // The rows of a list are at any address: prefetches those of the next block.
  void prefetch_block(std::span<const Index> rows, Index from) const {
    const std::size_t first = std::min(to_size(from), rows.size());
    A_->prefetch(rows.subspan(first, std::min(rows.size() - first, to_size(block_))));
  }

  Load load_;
  Index block_;
};

template <class Value, class Column>
class MappedSparse final : public MappedMatrix {
 public:
  MappedSparse(MatrixPtr A, ColumnMap map, const CsrRows<Value, Column>& stored,
               std::span<const double> weights)
      : MappedMatrix(std::move(A), std::move(map)), rows_(stored.from(0)), shift_(map_.units) {
    for (Index j = 0; j < d_; ++j)
      shift_[to_size(j)] *= map_.centred() ? -map_.centre[to_size(j)] : 0.0;
    for (const Index j : full_columns(weights)) {
      entry_centre_.resize(to_size(d_), 0.0);
      entry_centre_[to_size(j)] = map_.centre[to_size(j)];
      shift_[to_size(j)] = 0.0;
    }
  }

  std::span<const double> entry_centre() const override { return entry_centre_; }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    if (pays_in_units(std::ssize(rows)))
      return in_units(
          x, g, [&](ConstView y, View sum) { A_->gradient(rows, weights, scale, y, b, sum); });
    add_gradient(
        std::ssize(rows), [&](Index t) { return rows[to_size(t)]; },
        [&](Index t) { return weights[to_size(t)]; }, scale, x, b, g, {});
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    if (pays_in_units(last - first))
      return in_units(x, g, [&](ConstView y, View sum) {
        A_->range_gradient(first, last, weights, scale, y, b, sum, residual2);
      });
    add_gradient(
        last - first, [&](Index t) { return first + t; },
        [&](Index t) { return weights.empty() ? 1.0 : weights[to_size(t)]; }, scale, x, b, g,
        residual2);
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    if (pays_in_units(last - first))
      return in_units(x, {}, [&](ConstView scaled, View) { A_->multiply(first, last, scaled, y); });
    for (Index c = 0; c < x.rows; ++c) {
      const double offset = offset_of(x.row(c));
      for (Index i = first; i < last; ++i) y(i - first, c) = dot(i, x.row(c)) + offset;
    }
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    if (pays_in_units(last - first))
      return in_units({}, g, [&](ConstView, View sum) { A_->add_transposed(first, last, y, sum); });
    for (Index c = 0; c < g.rows; ++c) {
      double total = 0.0;
      for (Index i = first; i < last; ++i) {
        add(i, y(i - first, c), g.row(c));
        total += y(i - first, c);
      }
      add_shift(total, g.row(c));
    }
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      for (Index c = 0; c < x.rows; ++c) {
        const double r = dot(rows[t], x.row(c)) + offset_of(x.row(c)) - b(rows[t], c);
        const double step = -(steps[t] * scale) * r * scale;
        add(rows[t], step, x.row(c));
        add_shift(step, x.row(c));
      }
    }
  }

  // ‖ã_i‖² = ‖shift‖² + Σ_k ((unit·(a − centre))² − shift²). Rounding of this difference
  // cannot make it smaller than the part of the column of ones.
  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    const double smallest = std::numeric_limits<double>::min();
    double all = 0.0;
    for (const double s : shift_) all += (scale * s) * (scale * s);
    const double ones = map_.ones ? (scale * shift_.back()) * (scale * shift_.back()) : 0.0;
    for (Index i = first; i < last; ++i) {
      const auto row = rows_.row(i);
      double sum = 0.0;
      bool any = map_.ones;
      for (Index k = 0; k < row.count; ++k) {
        sum += more_than_shift(row, k, scale);
        any = any || (row.a[k] != Value{0} && unit(row, k) != 0.0);
      }
      const double norm2 = std::isfinite(sum) ? std::max(all + sum, ones) : sum;
      row_norms2[to_size(i - first)] = any && norm2 < smallest ? smallest : norm2;
    }
    if (!column_norms2.empty()) column_norms(first, last, {}, scale, column_norms2);
  }

  // ‖ã_j‖² = Σ_k w·(unit·a + shift)² + (Σ_i w − Σ_k w)·shift², the second over the empty entries. A
  // column without any, in rows that have a weight, sums the same weights in the same order, so
  // that the difference is 0.
  void column_norms(Index first, Index last, std::span<const double> weights, double scale,
                    std::span<double> norms2) const override {
    const bool shifted = map_.centred() || map_.ones;
    std::vector<double> present(shifted ? shift_.size() : 0, 0.0);
    double total = 0.0;
    for (Index i = first; i < last; ++i) {
      const double w = weights.empty() ? 1.0 : weights[to_size(i - first)];
      const auto row = rows_.row(i);
      total += w;
      for (Index k = 0; k < row.count && w > 0.0; ++k) {
        const std::size_t j = to_size(row.col[k]);
        norms2[j] += w * kernels::visible_square(mapped(row, k), scale);
        if (shifted) present[j] += w;
      }
    }
    for (std::size_t j = 0; j < present.size(); ++j) {
      const double empty = std::max(0.0, total - present[j]);
      if (empty > 0.0 && shift_[j] != 0.0)
        norms2[j] += empty * kernels::visible_square(shift_[j], scale);
    }
  }

  double max_abs(Index first, Index last) const override {
    double largest = first < last && map_.ones ? std::abs(shift_.back()) : 0.0;
    for (Index i = first; i < last; ++i) {
      const auto row = rows_.row(i);
      for (Index k = 0; k < row.count; ++k) {
        const double v = std::abs(mapped(row, k));
        if (std::isnan(v)) return v;
        largest = std::max(largest, v);
      }
    }
    return largest;
  }

 private:
  using Row = kernels::SparseRow<Value, Column>;

  // True if these rows have more entries than x and g have numbers.
  bool pays_in_units(Index rows) const {
    return units_only() && static_cast<double>(rows) * static_cast<double>(A_->nonzeros()) >
                               static_cast<double>(A_->rows()) * static_cast<double>(d_);
  }

  // The columns that have a centre and an entry in every row of positive weight.
  std::vector<Index> full_columns(std::span<const double> weights) const {
    std::vector<Index> full;
    for (std::size_t j = 0; j < map_.centre.size(); ++j)
      if (map_.centre[j] != 0.0) full.push_back(static_cast<Index>(j));
    for (Index i = 0; i < rows() && !full.empty(); ++i) {
      if (!weights.empty() && !(weights[to_size(i)] > 0.0)) continue;
      const Row row = rows_.row(i);
      std::erase_if(full, [&](Index j) {
        return !std::binary_search(row.col, row.col + row.count, static_cast<Column>(j));
      });
    }
    return full;
  }

  double unit(const Row& row, Index k) const { return map_.units[to_size(row.col[k])]; }
  // An entry without its share of shift_, and without its unit.
  double entry(const Row& row, Index k) const {
    const auto a = static_cast<double>(row.a[k]);
    return entry_centre_.empty() ? a : a - entry_centre_[to_size(row.col[k])];
  }
  double mapped(const Row& row, Index k) const {
    return unit(row, k) * entry(row, k) + shift_at(row, k);
  }
  double shift_at(const Row& row, Index k) const { return shift_[to_size(row.col[k])]; }
  double more_than_shift(const Row& row, Index k, double scale) const {
    const double with = scale * mapped(row, k), without = scale * shift_at(row, k);
    if (without == 0.0) return kernels::visible_square(mapped(row, k), scale);
    return with * with - without * without;
  }

  double dot(Index i, const double* x) const {
    const Row row = rows_.row(i);
    return kernels::lane_sum(
        row.count, [&](Index k) { return entry(row, k) * (unit(row, k) * x[row.col[k]]); });
  }
  void add(Index i, double c, double* g) const {
    const Row row = rows_.row(i);
    for (Index k = 0; k < row.count; ++k) g[row.col[k]] += c * (unit(row, k) * entry(row, k));
  }
  // The part that all rows have in common, shift_: its product with x, and its sum.
  double offset_of(const double* x) const {
    if (!map_.centred()) return map_.ones ? shift_.back() * x[d_] : 0.0;
    return kernels::lane_sum(cols(), [&](Index j) { return shift_[to_size(j)] * x[j]; });
  }
  void add_shift(double c, double* g) const {
    if (map_.centred())
      for (Index j = 0; j < cols(); ++j) g[j] += c * shift_[to_size(j)];
    else if (map_.ones)
      g[d_] += c * shift_.back();
  }

  template <class RowAt, class WeightAt>
  void add_gradient(Index count, RowAt row_at, WeightAt weight_at, Scale scale, ConstView x,
                    ConstView b, View g, std::span<double> residual2) const {
    for (Index c = 0; c < x.rows; ++c) {
      const double offset = offset_of(x.row(c));
      double total = 0.0;
      for (Index t = 0; t < count; ++t) {
        const Index i = row_at(t);
        const double w = weight_at(t);
        const double r = kernels::residual(w, scale.b, dot(i, x.row(c)) + offset, b(i, c));
        if (!residual2.empty()) residual2[to_size(c)] += w * r * r;
        add(i, w * r * scale.a, g.row(c));
        total += w * r * scale.a;
      }
      add_shift(total, g.row(c));
    }
  }

  kernels::SparseBlock<Value, Column> rows_;
  std::vector<double> shift_;  // −unit_j·shared_j; last unit_d, if there is a column of ones
  std::vector<double> entry_centre_;  // empty if all are 0
};

}  // namespace polyak
