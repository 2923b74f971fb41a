// Rows known by one function only, MatRowBatchGradient_C. It gives a row when
// asked for the gradient of a single one at x = 0 with b = -1, and a sum of
// rows likewise; what remains follows from rows.

#include <algorithm>
#include <cmath>
#include <limits>

#include "mat_rows.hpp"
#include "polyak_petsc.h"

namespace polyak {
namespace {

class BatchGradientRows final : public RowMatrix {
 public:
  explicit BatchGradientRows(Mat A) : A_(A) {
    void (*function)(void) = nullptr;
    checked(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), "MatRowBatchGradient_C",
                                     &function));
    call_ = reinterpret_cast<MatRowBatchGradientFn>(function);
    PetscInt rows = 0, cols = 0, first = 0;
    checked(MatGetLocalSize(A, &rows, nullptr));
    checked(MatGetSize(A, nullptr, &cols));
    checked(MatGetOwnershipRange(A, &first, nullptr));
    rows_ = rows;
    cols_ = cols;
    first_ = first;
    zeros_.assign(to_size(cols_), 0.0);
    row_.assign(to_size(cols_), 0.0);
    checked(PetscObjectReference(reinterpret_cast<PetscObject>(A)));
  }
  ~BatchGradientRows() override { static_cast<void>(MatDestroy(&A_)); }
  BatchGradientRows(const BatchGradientRows&) = delete;
  BatchGradientRows& operator=(const BatchGradientRows&) = delete;

  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Index nonzeros() const override { return rows_ * cols_; }
  double bytes() const override { return 8.0 * static_cast<double>(nonzeros()); }
  std::string kind() const override { return "rows by MatRowBatchGradient_C"; }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    add(
        std::ssize(rows), [&](Index t) { return rows[to_size(t)]; },
        [&](Index t) { return weights[to_size(t)]; }, scale, x, b, g, {});
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    add(
        last - first, [&](Index t) { return first + t; },
        [&](Index t) { return weights.empty() ? 1.0 : weights[to_size(t)]; }, scale, x, b, g,
        residual2);
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    for (Index i = first; i < last; ++i) {
      const double* a = row(i);
      for (Index c = 0; c < x.rows; ++c) {
        double sum = 0.0;
        for (Index j = 0; j < cols_; ++j) sum += a[j] * x(c, j);
        y(i - first, c) = sum;
      }
    }
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < g.rows; ++c) add_row(i, y(i - first, c), g.row(c));
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const double* a = row(rows[t]);
      for (Index c = 0; c < x.rows; ++c) {
        double r = -b(rows[t], c);
        for (Index j = 0; j < cols_; ++j) r += a[j] * x(c, j);
        const double step = steps[t] * scale * r;
        for (Index j = 0; j < cols_; ++j) x(c, j) -= step * (scale * a[j]);
      }
    }
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    constexpr double least = std::numeric_limits<double>::min();
    for (Index i = first; i < last; ++i) {
      const double* a = row(i);
      double sum = 0.0;
      bool zero = true;
      for (Index j = 0; j < cols_; ++j) {
        const double v = scale * a[j];
        zero = zero && a[j] == 0.0;
        sum += v * v;
        if (!column_norms2.empty() && a[j] != 0.0)
          column_norms2[to_size(j)] += std::max(v * v, least);
      }
      row_norms2[to_size(i - first)] = zero || sum >= least ? sum : std::isnan(sum) ? sum : least;
    }
  }

  double max_abs(Index first, Index last) const override {
    double largest = 0.0;
    for (Index i = first; i < last; ++i) {
      const double* a = row(i);
      for (Index j = 0; j < cols_; ++j)
        if (!std::isnan(largest) && !(std::abs(a[j]) <= largest)) largest = std::abs(a[j]);
    }
    return largest;
  }

  void copy_rows(Index first, Index last, View out) const override {
    for (Index i = first; i < last; ++i) std::copy_n(row(i), cols_, out.row(i - first));
  }

 private:
  // sum += factor·a_i: the gradient at 0 with b = −factor.
  void add_row(Index i, double factor, double* sum) const {
    const auto global = static_cast<PetscInt>(first_ + i);
    const PetscReal one = 1.0;
    const PetscScalar b = -factor;
    checked(call_(A_, 1, &global, &one, zeros_.data(), &b, sum, nullptr));
  }
  const double* row(Index i) const {
    std::fill(row_.begin(), row_.end(), 0.0);
    add_row(i, 1.0, row_.data());
    return row_.data();
  }

  // In pieces of a fixed size: nothing is allocated. The function's weight is
  // w·scale.a·scale.b, its residual without scale.b.
  template <class Row, class Weight>
  void add(Index count, Row row_of, Weight weight, Scale scale, ConstView x, ConstView b, View g,
           std::span<double> residual2) const {
    constexpr Index few = 512;
    PetscInt global[few];
    PetscReal factors[few], values[few];
    for (Index start = 0; start < count; start += few) {
      const Index here = std::min(few, count - start);
      for (Index c = 0; c < x.rows; ++c) {
        for (Index t = 0; t < here; ++t) {
          const Index i = row_of(start + t);
          global[t] = static_cast<PetscInt>(first_ + i);
          factors[t] = weight(start + t) * scale.a * scale.b;
          values[t] = b(i, c);
        }
        PetscReal sum = 0.0;
        checked(call_(A_, static_cast<PetscInt>(here), global, factors, x.row(c), values, g.row(c),
                      residual2.empty() ? nullptr : &sum));
        if (!residual2.empty()) residual2[to_size(c)] += sum / scale.a * scale.b;
      }
    }
  }

  Mat A_;
  MatRowBatchGradientFn call_ = nullptr;
  Index rows_ = 0, cols_ = 0, first_ = 0;
  std::vector<double> zeros_;
  mutable std::vector<double> row_;  // the plugin runs one thread
};

}  // namespace

MatrixPtr batch_gradient_rows(Mat A) { return std::make_shared<BatchGradientRows>(A); }

}  // namespace polyak
