#include "linalg/dependence.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak {
namespace {

// R·P = Q·[R11 R12; 0 ~0]: the factor, row by row, and where its columns came from.
struct Pivoted {
  Buffer R;
  std::vector<BlasInt> place;  // counted from 0
};

Pivoted pivoted_qr(ConstView R) {
  const BlasCall call;
  const Index d = R.cols;
  Buffer columns(d, d);  // by columns, as Fortran has it
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) columns.view()(j, i) = R(i, j);
  Pivoted out{Buffer(d, d), std::vector<BlasInt>(to_size(d), 0)};
  std::vector<double> tau(to_size(d));
  const BlasInt n = blas_int(d);
  BlasInt info = 0, lwork = -1;
  double size = 0.0;
  dgeqp3_(&n, &n, columns.data(), &n, out.place.data(), tau.data(), &size, &lwork, &info);
  std::vector<double> work(to_size(lwork = blas_work(size)));
  dgeqp3_(&n, &n, columns.data(), &n, out.place.data(), tau.data(), work.data(), &lwork, &info);
  check_arguments("dgeqp3", info);
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) out.R.view()(i, j) = columns.view()(j, i);
  for (BlasInt& p : out.place) --p;
  return out;
}

}  // namespace

Dependences dependences(ConstView R, Index rank) {
  constexpr double noticed = 1e-6;  // of the largest factor: less is rounding, or near to it
  const Index d = R.cols, k = d - rank;
  const Pivoted qr = pivoted_qr(R);
  // Columns that depend are R11⁻¹R12 of the others.
  Buffer factors(rank, k);
  for (Index i = 0; i < rank; ++i)
    std::copy_n(qr.R.view().row(i) + rank, k, factors.view().row(i));
  if (rank > 0 && k > 0) solve_left(part(qr.R.view(), 0, 0, rank, rank), factors.view());
  Dependences out{{}, Buffer(d, k)};
  for (Index t = 0; t < k; ++t) {
    Dependence one{qr.place[to_size(rank + t)], {}};
    double largest = 0.0;
    for (Index i = 0; i < rank; ++i) largest = std::max(largest, std::abs(factors.view()(i, t)));
    out.null_space.view()(one.column, t) = 1.0;
    for (Index i = 0; i < rank; ++i) {
      const double f = factors.view()(i, t);
      out.null_space.view()(qr.place[to_size(i)], t) = -f;
      if (std::abs(f) > noticed * largest && std::abs(f) > noticed)
        one.on.push_back(qr.place[to_size(i)]);
    }
    std::sort(one.on.begin(), one.on.end());
    out.columns.push_back(std::move(one));
  }
  std::sort(out.columns.begin(), out.columns.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
  return out;
}

}  // namespace polyak
