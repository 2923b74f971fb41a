#pragma once

/// \file types.hpp
/// The words every other header is written in: a signed 64-bit index and a
/// view of a row-major block of numbers.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace polyak {

/// Counts and positions, everywhere. Signed, so that differences are safe;
/// 64 bits, so that n·d beyond 2^31 is nothing special.
using Index = std::int64_t;

constexpr std::size_t to_size(Index i) { return static_cast<std::size_t>(i); }

/// A row-major block that somebody else owns; row i starts at data + i*stride.
///
/// Two layouts are used throughout, both row-major:
///  - data by rows: A (n × d) and b (n × c), one row per equation;
///  - sets of vectors: x and g (c × d), one row per right-hand side, so that
///    each solution vector is contiguous.
template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  T* row(Index i) const { return data + i * stride; }
  T& operator()(Index i, Index j) const { return data[i * stride + j]; }
  Index size() const { return rows * cols; }
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }
};

using View = MatrixView<double>;
using ConstView = MatrixView<const double>;

/// A dense block of doubles, owned or borrowed; immutable once made, cheap to
/// copy. `keep_alive` holds whatever owns the memory (a vector, a mapped file).
class Array {
 public:
  Array() = default;
  Array(std::vector<double> values, Index rows, Index cols = 1) {
    auto owner = std::make_shared<const std::vector<double>>(std::move(values));
    view_ = {owner->data(), rows, cols, cols};
    keep_alive_ = std::move(owner);
  }
  Array(ConstView view, std::shared_ptr<const void> keep_alive)
      : view_(view), keep_alive_(std::move(keep_alive)) {}

  ConstView view() const { return view_; }
  Index rows() const { return view_.rows; }
  Index cols() const { return view_.cols; }
  bool empty() const { return view_.data == nullptr; }
  double operator()(Index i, Index j = 0) const { return view_(i, j); }

 private:
  ConstView view_;
  std::shared_ptr<const void> keep_alive_;
};

}  // namespace polyak
#pragma GCC visibility pop
