#include "solve/run/column_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/file_pages.hpp"
#include "matrix/row_lists.hpp"
#include "polyak/ranks.hpp"
#include "solve/auto/row_subset.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t for_columns = 2;  // draw of row_subset

Index positive(std::span<const double> weights) {
  Index count = 0;
  for_parts(weights, [&](std::span<const double> part, Index) {
    count += std::count_if(part.begin(), part.end(), [](double w) { return w > 0.0; });
  });
  return count;
}

std::vector<Index> all_rows_of(Index count) {
  std::vector<Index> rows(to_size(count));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

}  // namespace

ColumnSample::ColumnSample(const Problem& problem, Index count, std::uint64_t seed)
    : weighted_(!problem.weights().empty()) {
  const Index all = weighted_ ? positive(problem.weights()) : problem.rows();
  const Index taken = all / 2 <= count ? all : count;
  rows_ = taken == problem.rows() ? all_rows_of(taken)
                                  : random_rows_of(problem, taken, seed, for_columns);
  if (all > 0) share_ = static_cast<double>(rows_.size()) / static_cast<double>(all);
  for (const Index i : rows_) weights_.push_back(weighted_ ? problem.weights()[to_size(i)] : 1.0);
  for (const double w : weights_) total_ += w;
}

std::vector<double> ColumnSample::means(const RowMatrix& A) const {
  std::vector<double> out(to_size(A.cols()), 0.0);
  AnnouncedRows announced(A, rows_);
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    announced.used(static_cast<Index>(t));
    const double share = weights_[t] / total_;
    if (share == 0.0) continue;
    A.add_transposed(rows_[t], rows_[t] + 1, {&share, 1, 1, 1},
                     {out.data(), 1, A.cols(), A.cols()});
  }
  communicator(A).sum(out);
  return out;
}

// Ranks know their own rows of b. Sizes beyond the square root of the largest double are infinite.
ColumnSample::RhsLevels ColumnSample::levels(const Problem& problem) const {
  const ConstView b = problem.b();
  const Partition own = partition(problem.A());
  std::vector<double> sums(to_size(2 * b.cols), 0.0);
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    const Index i = rows_[t];
    if (i < own.first || i >= own.first + own.rows->rows()) continue;
    for (Index c = 0; c < b.cols; ++c) {
      sums[to_size(c)] += weights_[t] / total_ * b(i, c);
      sums[to_size(b.cols + c)] += weights_[t] / total_ * (b(i, c) * b(i, c));
    }
  }
  communicator(problem.A()).sum(sums);
  RhsLevels out{{sums.begin(), sums.begin() + b.cols}, {sums.begin() + b.cols, sums.end()}};
  for (double& size : out.sizes) size = std::sqrt(size);
  return out;
}

// Norms whose squares overflow or underflow are computed again in other units.
std::vector<double> ColumnSample::norms(const RowMatrix& A) const {
  std::vector<double> out = norms(A, 1.0);
  for (const double scale : {0x1p-600, 0x1p600}) {
    const auto beyond = [&](double v) {
      return scale < 1.0 ? !(v < 0x1p500) : v > 0.0 && v < 0x1p-450;
    };
    if (std::none_of(out.begin(), out.end(), beyond)) continue;
    const std::vector<double> again = norms(A, scale);
    for (std::size_t j = 0; j < out.size(); ++j)
      if (beyond(out[j])) out[j] = again[j] / scale;
  }
  return out;
}

std::vector<double> ColumnSample::norms(const RowMatrix& A, double scale) const {
  std::vector<double> out(to_size(A.cols()), 0.0);
  if (std::ssize(rows_) == A.rows())
    add_norms_of_all(A, scale, out);
  else
    add_norms(A, scale, out);
  communicator(A).sum(out);
  for (double& v : out) v = std::sqrt(v / share_);
  return out;
}

// Vector code sums rows and columns together.
void ColumnSample::add_norms_of_all(const RowMatrix& A, double scale,
                                    std::vector<double>& norms2) const {
  if (weighted_) return A.column_norms(0, A.rows(), weights_, scale, norms2);
  std::vector<double> of_rows(to_size(A.rows()));
  A.norms(0, A.rows(), scale, of_rows, norms2);
}

void ColumnSample::add_norms(const RowMatrix& A, double scale, std::vector<double>& norms2) const {
  AnnouncedRows announced(A, rows_);
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    announced.used(static_cast<Index>(t));
    A.column_norms(rows_[t], rows_[t] + 1, {&weights_[t], 1}, scale, norms2);
  }
}

}  // namespace polyak
