// A matrix that is only given by the function MatRowBatchGradient_C. The gradient of one row at
// x = 0 with b = -1 is the row itself; all other operations use rows obtained in this way.

#include <algorithm>
#include <cmath>

#include "petsc_matrices.hpp"
#include "polyak_petsc.h"

namespace polyak::petsc {
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
    block_.assign(to_size(block_rows * cols_), 0.0);
    dense_block_ = dense_view(ConstView{block_.data(), block_rows, cols_, cols_});
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
    in_blocks(first, last, [&](const RowMatrix& rows, Index top, Index count) {
      rows.multiply(0, count, x, {y.row(top - first), count, y.cols, y.stride});
    });
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < g.rows; ++c) add_row(i, y(i - first, c), g.row(c));
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    constexpr Index only = 0;
    for (std::size_t t = 0; t < rows.size(); ++t)
      in_blocks(rows[t], rows[t] + 1, [&](const RowMatrix& row, Index i, Index) {
        row.kaczmarz({&only, 1}, steps.subspan(t, 1), scale, {b.row(i), 1, b.cols, b.stride}, x);
      });
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    in_blocks(first, last, [&](const RowMatrix& rows, Index top, Index count) {
      rows.norms(0, count, scale, row_norms2.subspan(to_size(top - first), to_size(count)),
                 column_norms2);
    });
  }

  double max_abs(Index first, Index last) const override {
    double largest = 0.0;
    in_blocks(first, last, [&](const RowMatrix& rows, Index, Index count) {
      const double here = rows.max_abs(0, count);
      if (!std::isnan(largest) && !(here <= largest)) largest = here;
    });
    return largest;
  }

  void copy_rows(Index first, Index last, View out) const override {
    for (Index i = first; i < last; ++i) copy_row(i, out.row(i - first));
  }

 private:
  // sum += factor·a_i: the gradient at 0 with b = −factor.
  void add_row(Index i, double factor, double* sum) const {
    const auto global = static_cast<PetscInt>(first_ + i);
    const PetscReal one = 1.0;
    const PetscScalar b = -factor;
    checked(call_(A_, 1, &global, &one, zeros_.data(), &b, sum, nullptr));
  }
  void copy_row(Index i, double* to) const {
    std::fill_n(to, cols_, 0.0);
    add_row(i, 1.0, to);
  }

  // visit(rows, first, count) for blocks of rows, each copied into a dense matrix, which has the
  // operations that the function does not offer.
  template <class Visit>
  void in_blocks(Index first, Index last, Visit visit) const {
    for (Index top = first; top < last; top += block_rows) {
      const Index count = std::min(block_rows, last - top);
      for (Index i = 0; i < count; ++i) copy_row(top + i, block_.data() + i * cols_);
      visit(*dense_block_, top, count);
    }
  }

  // In pieces of a fixed size, so that nothing is allocated. The weight passed to the function is
  // w·scale.a·scale.b; the residual it returns lacks one factor scale.b.
  template <class Row, class Weight>
  void add(Index count, Row row_of, Weight weight, Scale scale, ConstView x, ConstView b, View g,
           std::span<double> residual2) const {
    constexpr Index piece = 1024;
    PetscInt global[piece];
    PetscReal factors[piece], values[piece];
    for (Index start = 0; start < count; start += piece) {
      const Index here = std::min(piece, count - start);
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
  static constexpr Index block_rows = 32;
  mutable std::vector<double> block_;  // current rows: the plugin has one thread
  MatrixPtr dense_block_;              // a view of block_
};

}  // namespace

MatrixPtr batch_gradient_rows(Mat A) { return std::make_shared<BatchGradientRows>(A); }

}  // namespace polyak::petsc
