#include "block_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace polyak::python {
namespace {

// The rows of a block as a matrix of their own; it lives as long as the block's memory.
MatrixPtr as_matrix(ConstView rows) { return dense_view(rows); }

std::vector<Index> count_from_zero(Index count) {
  std::vector<Index> out(to_size(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

// The listed rows of b, densely.
std::vector<double> listed(ConstView b, std::span<const Index> rows) {
  std::vector<double> out;
  out.reserve(rows.size() * to_size(b.cols));
  for (const Index i : rows) out.insert(out.end(), b.row(i), b.row(i) + b.cols);
  return out;
}

template <class Value>
std::span<Value> piece(std::span<Value> all, Index first, Index last) {
  return all.empty() ? all : all.subspan(to_size(first), to_size(last - first));
}

}  // namespace

// A block fits into the second-level cache, and has at least one row.
Index BlockRows::block_rows() const {
  constexpr Index cache_values = 1 << 15;
  return std::clamp<Index>(cache_values / std::max<Index>(1, cols_), 1, 256);
}

template <class Use>
void BlockRows::by_blocks(Index first, Index last, Use use) const {
  const Index step = std::min(block_rows(), std::max<Index>(1, last - first));
  const auto memory = std::make_unique_for_overwrite<double[]>(to_size(step * cols_));
  for (Index i = first; i < last; i += step) {
    const Index end = std::min(last, i + step);
    const View block{memory.get(), end - i, cols_, cols_};
    fill(i, end, block);
    use(i, end, *as_matrix(block));
  }
}

template <class Use>
void BlockRows::by_lists(std::span<const Index> rows, Use use) const {
  const Index count = std::ssize(rows), step = std::min(block_rows(), std::max<Index>(1, count));
  const auto memory = std::make_unique_for_overwrite<double[]>(to_size(step * cols_));
  for (Index i = 0; i < count; i += step) {
    const Index end = std::min(count, i + step);
    const View block{memory.get(), end - i, cols_, cols_};
    fill_listed(piece(rows, i, end), block);
    use(i, end, *as_matrix(block));
  }
}

void BlockRows::fill_listed(std::span<const Index> rows, View out) const {
  for (std::size_t t = 0; t < rows.size(); ++t)
    fill(rows[t], rows[t] + 1, {out.row(static_cast<Index>(t)), 1, out.cols, out.stride});
}

void BlockRows::gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                         ConstView x, ConstView b, View g) const {
  by_lists(rows, [&](Index first, Index last, const RowMatrix& block) {
    const std::vector<double> rhs = listed(b, piece(rows, first, last));
    block.gradient(count_from_zero(last - first), piece(weights, first, last), scale, x,
                   {rhs.data(), last - first, b.cols, b.cols}, g);
  });
}

void BlockRows::range_gradient(Index first, Index last, std::span<const double> weights,
                               Scale scale, ConstView x, ConstView b, View g,
                               std::span<double> residual2) const {
  by_blocks(first, last, [&](Index from, Index to, const RowMatrix& block) {
    block.range_gradient(0, to - from, piece(weights, from - first, to - first), scale, x,
                         {b.row(from), to - from, b.cols, b.stride}, g, residual2);
  });
}

void BlockRows::multiply(Index first, Index last, ConstView x, View y) const {
  by_blocks(first, last, [&](Index from, Index to, const RowMatrix& block) {
    block.multiply(0, to - from, x, {y.row(from - first), to - from, y.cols, y.stride});
  });
}

void BlockRows::add_transposed(Index first, Index last, ConstView y, View g) const {
  by_blocks(first, last, [&](Index from, Index to, const RowMatrix& block) {
    block.add_transposed(0, to - from, {y.row(from - first), to - from, y.cols, y.stride}, g);
  });
}

void BlockRows::kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                         ConstView b, View x) const {
  by_lists(rows, [&](Index first, Index last, const RowMatrix& block) {
    const std::vector<double> rhs = listed(b, piece(rows, first, last));
    block.kaczmarz(count_from_zero(last - first), piece(steps, first, last), scale,
                   {rhs.data(), last - first, b.cols, b.cols}, x);
  });
}

void BlockRows::norms(Index first, Index last, double scale, std::span<double> row_norms2,
                      std::span<double> column_norms2) const {
  by_blocks(first, last, [&](Index from, Index to, const RowMatrix& block) {
    block.norms(0, to - from, scale, piece(row_norms2, from - first, to - first), column_norms2);
  });
}

double BlockRows::max_abs(Index first, Index last) const {
  double largest = 0.0;
  by_blocks(first, last, [&](Index from, Index to, const RowMatrix& block) {
    const double here = block.max_abs(0, to - from);
    if (std::isnan(here) || here > largest) largest = std::isnan(largest) ? largest : here;
  });
  return largest;
}

void BlockRows::copy_rows(Index first, Index last, View out) const { fill(first, last, out); }

}  // namespace polyak::python
