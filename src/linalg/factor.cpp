#include "linalg/factor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/blas.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak::internal {
namespace {

// R·P = Q·[R11 R12; 0 ~0]: the factor, row-major, and the permutation P.
struct Pivoted {
  Buffer R;
  std::vector<Index> place;  // column of R, from 0, that stands at each position
};

Pivoted pivoted_qr(ConstView R) {
  const BlasCall call;
  const Index d = R.cols;
  Buffer columns(d, d);  // column-major, for LAPACK
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) columns.view()(j, i) = R(i, j);
  Pivoted out{Buffer(d, d), {}};
  std::vector<BlasInt> place(to_size(d), 0);
  std::vector<double> tau(to_size(d));
  const BlasInt n = blas_int(d);
  BlasInt info = 0, lwork = -1;
  double size = 0.0;
  dgeqp3_(&n, &n, columns.data(), &n, place.data(), tau.data(), &size, &lwork, &info);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  dgeqp3_(&n, &n, columns.data(), &n, place.data(), tau.data(), work.data(), &lwork, &info);
  check_arguments("dgeqp3", info);
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) out.R.view()(i, j) = columns.view()(j, i);
  for (const BlasInt p : place) out.place.push_back(p - 1);
  return out;
}

}  // namespace

bool cholesky(View H) {
  if (H.rows == 0) return true;
  const BlasCall call;
  const BlasInt n = blas_int(H.rows), ldh = blas_stride(H.stride);
  BlasInt info = 0;
  dpotrf_("L", &n, H.data, &ldh, &info, 1);
  check_arguments("dpotrf", info);
  bool positive = info == 0;
  // Not every LAPACK reports a NaN: it fails no test of the form "pivot <= 0".
  for (Index i = 0; i < H.rows; ++i) positive = positive && std::isfinite(H(i, i)) && H(i, i) > 0.0;
  return positive;
}

Index pivoted_cholesky(View H, std::span<Index> place, double least) {
  if (H.rows == 0) return 0;
  const BlasCall call;
  const BlasInt n = blas_int(H.rows), ldh = blas_stride(H.stride);
  std::vector<BlasInt> pivots(to_size(H.rows));
  std::vector<double> work(to_size(2 * H.rows));
  BlasInt rank = 0, info = 0;
  dpstrf_("L", &n, H.data, &ldh, pivots.data(), &rank, &least, work.data(), &info, 1);
  check_arguments("dpstrf", info);
  for (std::size_t j = 0; j < pivots.size(); ++j) place[j] = pivots[j] - 1;
  return rank;
}

// Applies I − v·(2/vᵀv)·vᵀ row by row.
void reflect(View rows, Index k) {
  const Index width = rows.cols - k - 1, height = rows.rows - k;
  std::vector<double> v(to_size(height)), sums(to_size(width), 0.0);
  double below = 0.0;
  for (Index i = 0; i < height; ++i) v[to_size(i)] = rows(k + i, k);
  for (Index i = 1; i < height; ++i) below += v[to_size(i)] * v[to_size(i)];
  const double length = std::sqrt(v[0] * v[0] + below);
  rows(k, k) = v[0] > 0.0 ? -length : length;
  v[0] -= rows(k, k);
  for (Index i = k + 1; i < rows.rows; ++i) rows(i, k) = 0.0;
  const double v2 = v[0] * v[0] + below;
  if (v2 == 0.0) return;
  for (Index i = 0; i < height; ++i) {
    const double *row = rows.row(k + i) + k + 1, factor = v[to_size(i)];
    for (Index c = 0; c < width; ++c) sums[to_size(c)] += factor * row[c];
  }
  for (Index i = 0; i < height; ++i) {
    double* row = rows.row(k + i) + k + 1;
    const double factor = 2.0 * v[to_size(i)] / v2;
    for (Index c = 0; c < width; ++c) row[c] -= factor * sums[to_size(c)];
  }
}

// Fortran sees the transpose, whose LQ factorisation is our QR.
void householder_r(View rows) {
  if (rows.rows == 0 || rows.cols == 0) return;
  const BlasCall call;
  const BlasInt m = blas_int(rows.cols), n = blas_int(rows.rows), ld = blas_stride(rows.stride);
  std::vector<double> tau(to_size(std::min(m, n)));
  BlasInt info = 0, lwork = -1;
  double size = 0.0;
  dgelqf_(&m, &n, rows.data, &ld, tau.data(), &size, &lwork, &info);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  dgelqf_(&m, &n, rows.data, &ld, tau.data(), work.data(), &lwork, &info);
  check_arguments("dgelqf", info);
  for (Index i = 1; i < rows.rows; ++i) std::fill_n(rows.row(i), std::min(i, rows.cols), 0.0);
}

// Row-major A is Aᵀ to Fortran: its QR factorisation is our LQ.
void lq(View A, std::span<double> tau) {
  if (A.rows == 0) return;
  const BlasCall call;
  const BlasInt m = blas_int(A.cols), n = blas_int(A.rows), lda = blas_stride(A.stride);
  BlasInt info = 0, lwork = -1;
  double size = 0.0;
  dgeqrf_(&m, &n, A.data, &lda, tau.data(), &size, &lwork, &info);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  dgeqrf_(&m, &n, A.data, &lda, tau.data(), work.data(), &lwork, &info);
  check_arguments("dgeqrf", info);
}

void lq_expand(ConstView A, std::span<const double> tau, View X) {
  if (A.rows == 0 || X.rows == 0) return;
  const BlasCall call;
  const BlasInt m = blas_int(X.cols), n = blas_int(X.rows), k = blas_int(A.rows);
  const BlasInt lda = blas_stride(A.stride), ldx = blas_stride(X.stride);
  BlasInt info = 0, lwork = -1;
  double size = 0.0;
  dormqr_("L", "N", &m, &n, &k, A.data, &lda, tau.data(), X.data, &ldx, &size, &lwork, &info, 1, 1);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  dormqr_("L", "N", &m, &n, &k, A.data, &lda, tau.data(), X.data, &ldx, work.data(), &lwork, &info,
          1, 1);
  check_arguments("dormqr", info);
}

Dependences dependences(ConstView R, Index rank) {
  const Pivoted qr = pivoted_qr(R);
  return dependences(qr.R.view(), qr.place, rank);
}

// The coefficients of the dependent columns are R11⁻¹·R12.
Dependences dependences(ConstView R, std::span<const Index> place, Index rank) {
  constexpr double noticed = 1e-6;  // relative to the largest coefficient; less is rounding
  const Index d = R.cols, k = d - rank;
  Buffer factors(rank, k);
  for (Index i = 0; i < rank; ++i) std::copy_n(R.row(i) + rank, k, factors.view().row(i));
  if (rank > 0 && k > 0) solve_left(part(R, 0, 0, rank, rank), factors.view());
  Dependences out{{}, Buffer(d, k)};
  for (Index t = 0; t < k; ++t) {
    std::vector<std::pair<Index, double>> terms;
    double largest = 0.0;
    for (Index i = 0; i < rank; ++i) largest = std::max(largest, std::abs(factors.view()(i, t)));
    out.null_space.view()(place[to_size(rank + t)], t) = 1.0;
    for (Index i = 0; i < rank; ++i) {
      const double f = factors.view()(i, t);
      out.null_space.view()(place[to_size(i)], t) = -f;
      if (std::abs(f) > noticed * largest && std::abs(f) > noticed)
        terms.emplace_back(place[to_size(i)], f);
    }
    std::sort(terms.begin(), terms.end());
    Dependence& one = out.columns.emplace_back();
    one.column = place[to_size(rank + t)];
    for (const auto& [column, factor] : terms) {
      one.on.push_back(column);
      one.by.push_back(factor);
    }
  }
  std::sort(out.columns.begin(), out.columns.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
  return out;
}

}  // namespace polyak::internal
