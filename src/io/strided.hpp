#pragma once

// Boxes out of arrays whose values lie in memory, in any order of dimensions.

#include <span>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::io {

/// Of an array whose last index runs fastest (NumPy's C order).
inline std::vector<Index> row_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k > 1; --k) strides[k - 2] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// Of one whose first index does (Fortran, MATLAB).
inline std::vector<Index> column_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// out = the box, in C order; value(p) is what lies at position p.
template <class ValueAt>
void copy_box(std::span<const Index> first, std::span<const Index> count,
              std::span<const Index> strides, std::span<double> out, ValueAt value) {
  if (out.empty()) return;
  Index base = 0;
  for (std::size_t k = 0; k < first.size(); ++k) base += first[k] * strides[k];
  std::vector<Index> at(count.size(), 0);
  const Index width = count.empty() ? 1 : count.back(), step = count.empty() ? 1 : strides.back();
  for (std::size_t done = 0; done < out.size(); done += to_size(width)) {
    for (Index j = 0; j < width; ++j) out[done + to_size(j)] = value(base + j * step);
    for (std::size_t k = count.size(); k > 1; --k) {  // the next line, as an odometer counts
      base += strides[k - 2];
      if (++at[k - 2] < count[k - 2]) break;
      base -= count[k - 2] * strides[k - 2];
      at[k - 2] = 0;
    }
  }
}

}  // namespace polyak::io
