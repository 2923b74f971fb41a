#include "linalg/column_qr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/factor.hpp"

namespace polyak::internal {

ColumnQr::ColumnQr(ConstView M, std::span<const double> s)
    : m_(M.rows, M.cols + 1), w_(M.rows, M.cols + 1), order_(to_size(M.cols)), place_(order_) {
  for (Index i = 0; i < M.rows; ++i) {
    std::copy_n(M.row(i), M.cols, m_.view().row(i));
    m_.view()(i, M.cols) = s[to_size(i)];
    std::copy_n(m_.view().row(i), M.cols + 1, w_.view().row(i));
  }
  std::iota(order_.begin(), order_.end(), Index{0});
  place_ = order_;
}

bool ColumnQr::factor(std::span<const Index> chosen, std::span<const double> least,
                      std::vector<Index>& dependent) {
  const View w = w_.view();
  std::vector<char> first(order_.size(), 0);
  std::copy(chosen.begin(), chosen.end(), order_.begin());
  for (Index j : chosen) first[to_size(j)] = 1;
  auto next = order_.begin() + std::ssize(chosen);
  for (Index j = 0; j < cols(); ++j)
    if (!first[to_size(j)]) *next++ = j;
  for (Index p = 0; p < cols(); ++p) place_[to_size(order_[to_size(p)])] = p;
  for (Index i = 0; i < rows(); ++i) {
    for (Index p = 0; p < cols(); ++p) w(i, p) = m_.view()(i, order_[to_size(p)]);
    w(i, cols()) = m_.view()(i, cols());
  }
  householder_r(w);
  count_ = std::ssize(chosen);
  changes_ = 0;
  bool all = true;
  dependent.clear();
  for (Index p = 0; p < cols(); ++p) {
    const Index j = order_[to_size(p)];
    if (p < rows() && std::abs(w(p, p)) > least[to_size(j)]) continue;
    all = all && least[to_size(j)] == 0.0;
    if (p < count_) dependent.push_back(j);
  }
  return all;
}

void ColumnQr::swap_columns(Index p, Index q) {
  if (p == q) return;
  const View w = w_.view();
  for (Index i = 0; i < rows(); ++i) std::swap(w(i, p), w(i, q));
  std::swap(order_[to_size(p)], order_[to_size(q)]);
  place_[to_size(order_[to_size(p)])] = p;
  place_[to_size(order_[to_size(q)])] = q;
}

void ColumnQr::add(Index j) {
  ++changes_;
  swap_columns(place_[to_size(j)], count_);
  reflect(w_.view(), count_++);
}

// Without column j the rest of F has one entry below the diagonal in each later column;
// Givens rotations of neighbouring rows make these entries zero.
void ColumnQr::remove(Index j) {
  const View w = w_.view();
  const Index from = place_[to_size(j)], last = --count_;
  ++changes_;
  for (Index i = 0; i <= last; ++i)
    std::rotate(w.row(i) + from, w.row(i) + from + 1, w.row(i) + last + 1);
  std::rotate(order_.begin() + from, order_.begin() + from + 1, order_.begin() + last + 1);
  for (Index p = from; p <= last; ++p) place_[to_size(order_[to_size(p)])] = p;
  for (Index i = from; i < last; ++i) {
    const double length = std::hypot(w(i, i), w(i + 1, i));
    if (length == 0.0) continue;
    const double c = w(i, i) / length, s = w(i + 1, i) / length;
    double *upper = w.row(i), *lower = w.row(i + 1);
    for (Index p = i; p < w.cols; ++p) {
      const double a = upper[p], b = lower[p];
      upper[p] = c * a + s * b;
      lower[p] = c * b - s * a;
    }
    lower[i] = 0.0;
  }
}

void ColumnQr::reduce(std::span<const double> x, std::vector<double>& t) const {
  const ConstView w = w_.view();
  std::vector<std::pair<Index, double>> fixed;
  for (Index p = count_; p < cols(); ++p)
    if (const double value = x[to_size(order_[to_size(p)])]; value != 0.0)
      fixed.emplace_back(p, value);
  t.resize(to_size(rows()));
  for (Index i = 0; i < rows(); ++i) {
    double sum = w(i, cols());
    for (const auto& [p, value] : fixed) sum -= w(i, p) * value;
    t[to_size(i)] = sum;
  }
}

void ColumnQr::solve(std::span<const double> t, std::vector<double>& z) const {
  const ConstView w = w_.view();
  z.assign(t.begin(), t.begin() + count_);
  for (Index i = count_ - 1; i >= 0; --i) {
    const double* row = w.row(i);
    double sum = z[to_size(i)];
    for (Index p = i + 1; p < count_; ++p) sum -= row[p] * z[to_size(p)];
    z[to_size(i)] = sum / row[i];
  }
}

void ColumnQr::gradients(std::span<const double> t, std::vector<double>& g,
                         std::vector<double>& distance) const {
  const ConstView w = w_.view();
  const Index width = cols() - count_;
  std::vector<double> products(to_size(width), 0.0), squares(to_size(width), 0.0);
  for (Index i = count_; i < rows(); ++i) {
    const double* row = w.row(i) + count_;
    const double left = t[to_size(i)];
    for (Index c = 0; c < width; ++c) {
      products[to_size(c)] += row[c] * left;
      squares[to_size(c)] += row[c] * row[c];
    }
  }
  g.assign(order_.size(), 0.0);
  distance.assign(order_.size(), 0.0);
  for (Index c = 0; c < width; ++c) {
    const std::size_t j = to_size(order_[to_size(count_ + c)]);
    g[j] = -products[to_size(c)];
    distance[j] = std::sqrt(squares[to_size(c)]);
  }
}

}  // namespace polyak::internal
