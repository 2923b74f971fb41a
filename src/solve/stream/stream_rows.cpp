#include "solve/stream/stream_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/dense.hpp"
#include "linalg/tsqr.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

[[noreturn]] void refuse_number(const std::string& where, double value) {
  throw Error(ErrorCode::bad_data, {.what = "a value is not finite",
                                    .where = where + " (counted from 1)",
                                    .found = std::to_string(value),
                                    .expected = "a finite number",
                                    .hint = "remove or repair that row"});
}

bool is_finite_number(double v) { return std::isfinite(v); }

std::vector<double> unless_zero(std::vector<double> values) {
  const auto is_zero = [](double v) { return v == 0.0; };
  if (std::all_of(values.begin(), values.end(), is_zero)) values.clear();
  return values;
}

}  // namespace

StreamRows::StreamRows(const RowStream& stream, const StreamProblem& problem)
    : problem_(problem),
      d_(stream.cols()),
      c_(problem.b.empty() ? 1 : problem.b.cols()),
      has_rhs_(stream.has_rhs()) {}

// Many times as many rows as columns, in 64 MB. Where that is less than four times as many there is
// no start; nor for many right-hand sides, each of which adds a column.
Index StreamRows::start_rows() const {
  constexpr Index numbers = 1 << 23, times = 16, least = 4, most_sides = 4;
  const Index p = d_ + 1 + 2 * c_, rows = std::min(times * p, numbers / p);
  return rows >= least * p && c_ <= most_sides && unknowns() > 0 ? rows : 0;
}

void StreamRows::convert(RowBlock& block, View out) const {
  block.values = part(out, 0, 0, block.rows, width());
  std::vector<double> b(has_rhs_ ? to_size(block.rows) : 0);
  block.piece->copy(part(block.values, 0, 0, block.rows, d_), b);
  block.piece.reset();
  for (Index t = 0; t < block.rows; ++t)
    for (Index k = 0; k < c_; ++k)
      block.values(t, d_ + k) = has_rhs_ ? b[to_size(t)] : problem_.b(block.first + t, k);
  if (!problem_.drop_nonfinite_rows) check(block);
}

// Numbers from text have been checked, with the line; others have not.
void StreamRows::check(const RowBlock& block) const {
  for (Index t = 0; t < block.rows; ++t) {
    const double *const row = block.values.row(t), *const end = row + width();
    const double* const bad = std::find_if_not(row, end, is_finite_number);
    if (bad == end) continue;
    const Index j = bad - row;
    const std::string place = ", row " + std::to_string(block.first + t + 1);
    refuse_number(j < d_ ? "A" + place + ", column " + std::to_string(j + 1) : "b" + place, *bad);
  }
}

bool StreamRows::is_kept(const RowBlock& block, Index t) const {
  if (!problem_.drop_nonfinite_rows) return true;
  const double* const row = block.values.row(t);
  return std::all_of(row, row + width(), is_finite_number) &&
         std::isfinite(weight(block.first + t));
}

void StreamRows::look_at(std::span<const RowBlock> first) {
  find_first_row(first);
  if (problem_.intercept) find_centre(first);
  if (has_start()) find_start(first);
}

void StreamRows::find_first_row(std::span<const RowBlock> first) {
  for (const RowBlock& block : first)
    for (Index t = 0; t < block.rows && first_row_.empty(); ++t)
      if (counts(block, t)) first_row_.assign(block.values.row(t), block.values.row(t) + width());
}

// The mean of each column of [A b] where it is a large part of it, otherwise 0; the value itself of
// one that does not vary.
void StreamRows::find_centre(std::span<const RowBlock> first) {
  constexpr double large = 0.25;  // of the root mean square
  std::vector<double> sum(to_size(width())), sum2(sum.size()), means(sum.size());
  std::vector<bool> varies(sum.size());
  double rows = 0.0;
  for (const RowBlock& block : first)
    for (Index t = 0; t < block.rows; ++t) {
      if (!counts(block, t)) continue;
      ++rows;
      const double* const row = block.values.row(t);
      for (std::size_t j = 0; j < sum.size(); ++j) {
        sum[j] += row[j];
        sum2[j] += row[j] * row[j];
        if (row[j] != first_row_[j]) varies[j] = true;
      }
    }
  for (std::size_t j = 0; j < sum.size() && rows > 0.0; ++j) {
    const double mean = varies[j] ? sum[j] / rows : first_row_[j];
    if (std::isfinite(sum2[j]) && std::abs(mean) >= large * std::sqrt(sum2[j] / rows))
      means[j] = mean;
  }
  centre_ = unless_zero({means.begin(), means.begin() + d_});
  levels_ = unless_zero({means.begin() + d_, means.end()});
}

// Directions that the first rows hardly show are left to all rows.
void StreamRows::find_start(std::span<const RowBlock> first) {
  constexpr double least_rcond = 1e-6;
  start_.assign(to_size(c_ * unknowns()), 0.0);
  Triangle small = triangle();
  small.start.clear();
  Tsqr factor(columns());
  for (const RowBlock& block : first) {
    Buffer rows(block.rows, columns());
    const Index count = make(block, rows.view());
    factor.add(part(std::as_const(rows).view(), 0, 0, count, columns()));
    small.rows += static_cast<double>(count);
    for (Index t = 0; t < block.rows; ++t)
      if (counts(block, t)) small.total_weight += weight(block.first + t);
  }
  small.r = factor.r();
  const TriangleFit fit =
      fit_triangle(small, {.ridge = problem_.ridge, .least_rcond = least_rcond});
  for (std::size_t i = 0; fit.ok && i < start_.size(); ++i) {
    const double value = fit.map.units[i % to_size(unknowns())] * fit.z[i] / fit.scale_b;
    if (std::isfinite(value)) start_[i] = value;
  }
}

Triangle StreamRows::triangle() const {
  Triangle out{.d = d_, .c = c_, .intercept = problem_.intercept};
  out.centre = centre_;
  out.levels = levels_;
  out.start = start_;
  return out;
}

// [a − centre, 1, b − level].
void StreamRows::fill_row(const double* values, double* row) const {
  std::copy_n(values, d_, row);
  for (std::size_t j = 0; j < centre_.size(); ++j) row[j] -= centre_[j];
  row[d_] = 1.0;
  std::copy_n(values + d_, c_, row + d_ + 1);
  for (std::size_t k = 0; k < levels_.size(); ++k) row[to_size(d_ + 1) + k] -= levels_[k];
}

// b − a·start of all rows at once, then the weights.
Index StreamRows::make(const RowBlock& block, View out) const {
  const Index b = d_ + 1, residual = b + c_, J = unknowns();
  std::vector<double> roots;
  Index count = 0;
  for (Index t = 0; t < block.rows; ++t) {
    if (!counts(block, t)) continue;
    fill_row(block.values.row(t), out.row(count++));
    if (!problem_.weights.empty()) roots.push_back(std::sqrt(weight(block.first + t)));
  }
  if (!start_.empty()) {
    const View r = part(out, 0, residual, count, c_);
    kernels::multiply(kernels::DenseBlock<double>{out.data, out.stride, J},
                      ConstView{start_.data(), c_, J, J}, r);
    for (Index t = 0; t < count; ++t)
      for (Index k = 0; k < c_; ++k) r(t, k) = out(t, b + k) - r(t, k);
  }
  for (Index t = 0; t < std::ssize(roots); ++t)
    for (Index j = 0; j < columns(); ++j) out(t, j) *= roots[to_size(t)];
  return count;
}

}  // namespace polyak
