#pragma once

// A matrix whose rows are made in blocks when they are used: from an array in another order or
// type, or by a Python function. Each operation fills a block of rows and leaves the arithmetic
// to the library's dense rows.

#include <span>
#include <vector>

#include "polyak/matrices.hpp"

namespace polyak::python {

class BlockRows : public RowMatrix {
 public:
  BlockRows(Index rows, Index cols) : rows_(rows), cols_(cols) {}

  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Index nonzeros() const override { return rows_ * cols_; }
  double bytes() const override { return 8.0 * static_cast<double>(nonzeros()); }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override;
  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g, std::span<double> residual2) const override;
  void multiply(Index first, Index last, ConstView x, View y) const override;
  void add_transposed(Index first, Index last, ConstView y, View g) const override;
  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override;
  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override;
  double max_abs(Index first, Index last) const override;
  void copy_rows(Index first, Index last, View out) const override;

 protected:
  /// Writes the rows [first, last) into `out`, from any thread.
  virtual void fill(Index first, Index last, View out) const = 0;
  /// Writes the listed rows into `out`.
  virtual void fill_listed(std::span<const Index> rows, View out) const;

 private:
  /// use(first, last, rows) for blocks of [first, last).
  template <class Use>
  void by_blocks(Index first, Index last, Use use) const;
  /// use(first, last, rows) for blocks of the list, whose entries [first, last) they are.
  template <class Use>
  void by_lists(std::span<const Index> rows, Use use) const;
  Index block_rows() const;

  Index rows_, cols_;
};

}  // namespace polyak::python
