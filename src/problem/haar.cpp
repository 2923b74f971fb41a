#include "problem/haar.hpp"

#include <algorithm>

#include "linalg/blas.hpp"
#include "linalg/tall_r.hpp"
#include "problem/planted.hpp"

namespace polyak {
namespace {

Buffer inverse(const Buffer& R) {
  Buffer out(R.rows(), R.cols());
  for (Index i = 0; i < R.rows(); ++i) out.view()(i, i) = 1.0;
  solve_left(R.view(), out.view());
  return out;
}

void copy(ConstView from, View to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
}

}  // namespace

// The Q of a normal matrix G is Haar when the diagonal of R is positive. One
// round, G·R⁻¹, is orthonormal up to cond(G)·eps only: about eps for a tall G,
// but cond(G) grows like cols when G is square. A second round on that nearly
// orthonormal matrix brings it to eps, and the product of two R with positive
// diagonals is one again.
Buffer haar_frame(View Q, const Random& random, ThreadTeam& team) {
  const auto draw = [&](Index first, Index last, View out) {
    fill_normal(random, first, last, Q);
    copy(part(Q, first, 0, last - first, Q.cols), out);
  };
  const Buffer R = tall_r(Q.rows, Q.cols, draw, team, Diagonal::nonnegative);
  multiply_rows(Q, inverse(R).view(), team);
  const auto read = [&](Index first, Index last, View out) {
    copy(part(Q, first, 0, last - first, Q.cols), out);
  };
  return tall_r(Q.rows, Q.cols, read, team, Diagonal::nonnegative);
}

void multiply_rows(View A, ConstView M, ThreadTeam& team) {
  constexpr Index step = 512;
  for_row_ranges(A.rows, team, [&](Index first, Index last) {
    Buffer block(std::min(step, last - first), A.cols);
    for (Index i = first; i < last; i += step) {
      const View rows = part(A, i, 0, std::min(step, last - i), A.cols);
      const View old = part(block.view(), 0, 0, rows.rows, A.cols);
      copy(rows, old);
      gemm(1.0, old, Transpose::no, M, Transpose::no, 0.0, rows);
    }
  });
}

}  // namespace polyak
