#pragma once

// What a matrix that copies the listed rows into a small block needs besides.

#include <algorithm>
#include <span>
#include <vector>

#include "polyak/row_matrix.hpp"

namespace polyak::internal {

/// The listed rows of b, one after the other, in a buffer of this thread.
inline View gather_rows(ConstView b, std::span<const Index> rows) {
  thread_local std::vector<double> buffer;
  buffer.resize(std::max(buffer.size(), rows.size() * to_size(b.cols)));
  const View out{buffer.data(), std::ssize(rows), b.cols, b.cols};
  for (Index k = 0; k < out.rows; ++k) std::copy_n(b.row(rows[to_size(k)]), b.cols, out.row(k));
  return out;
}

/// Announces the rows of a list to a matrix that reads them from a disk, some ahead of their use.
class AnnouncedRows {
 public:
  AnnouncedRows(const RowMatrix& A, std::span<const Index> rows)
      : A_(A), rows_(rows), window_(to_size(window_of(A.rows_ahead()))) {}

  /// Row t of the list is used next.
  void used(Index t) {
    if (window_ == 0 || to_size(t) + window_ / 2 < announced_) return;
    const std::size_t end = std::min(rows_.size(), to_size(t) + window_);
    if (end > announced_) A_.expect_rows(rows_.subspan(announced_, end - announced_));
    announced_ = std::max(announced_, end);
  }

 private:
  // Several threads have lists of their own.
  static Index window_of(Index ahead) { return ahead > 0 ? std::max<Index>(16, ahead / 8) : 0; }

  const RowMatrix& A_;
  std::span<const Index> rows_;
  std::size_t window_, announced_ = 0;
};

}  // namespace polyak::internal
