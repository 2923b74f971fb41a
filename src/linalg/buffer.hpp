#pragma once

// Zero-filled work memory for BLAS and LAPACK. The order of summation in some BLAS kernels
// depends on the alignment of their operands; with 64-byte alignment the bits depend only on
// the sizes.

#include <algorithm>
#include <memory>
#include <new>

#include "polyak/types.hpp"

namespace polyak::internal {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Index rows, Index cols)
      : data_(allocate(to_size(rows * cols))), rows_(rows), cols_(cols) {}

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  View view() { return {data_.get(), rows_, cols_, cols_}; }
  ConstView view() const { return {data_.get(), rows_, cols_, cols_}; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Release {
    void operator()(double* p) const { ::operator delete[](p, alignment); }
  };

  static double* allocate(std::size_t count) {
    auto* p = static_cast<double*>(
        ::operator new[](std::max<std::size_t>(1, count) * sizeof(double), alignment));
    std::fill_n(p, count, 0.0);
    return p;
  }

  std::unique_ptr<double[], Release> data_;
  Index rows_ = 0;
  Index cols_ = 0;
};

/// The block of `rows` × `cols` at (i, j).
template <class T>
MatrixView<T> part(MatrixView<T> m, Index i, Index j, Index rows, Index cols) {
  return {m.data + i * m.stride + j, rows, cols, m.stride};
}

}  // namespace polyak::internal
