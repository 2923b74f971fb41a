#include "linalg/tsqr.hpp"

#include <algorithm>
#include <vector>

#include "core/thread_team.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak::internal {
namespace {

constexpr Index block_rows = 512;  // d = 100: 400 kB, stays in L2

// Columns in a panel of dtpqrt: narrow panels are faster for small d, because a panel is
// reduced one reflection at a time.
Index panel(Index cols) { return std::min(cols, std::clamp<Index>(cols / 16, 8, 32)); }

// Copies the rows into the columns of `out`, from entry `at` on, in tiles that stay in L1.
void transpose_into(ConstView rows, Buffer& out, Index at) {
  constexpr Index tile = 16;
  for (Index i0 = 0; i0 < rows.rows; i0 += tile) {
    const Index i1 = std::min(rows.rows, i0 + tile);
    for (Index j = 0; j < rows.cols; ++j) {
      double* column = out.view().row(j) + at;
      for (Index i = i0; i < i1; ++i) column[i] = rows(i, j);
    }
  }
}

// [R; B] → [R; 0], all column-major; the last `triangle` rows of B are upper triangular. B is
// overwritten by the reflectors.
void eliminate(Buffer& r, double* b, Index rows, Index stride, Index triangle, Buffer& reflector,
               Buffer& work) {
  const BlasCall call;
  const BlasInt m = blas_int(rows), n = blas_int(r.rows()), l = blas_int(triangle);
  const BlasInt nb = blas_int(panel(r.rows())), ldb = blas_stride(stride);
  BlasInt info = 0;
  dtpqrt_(&m, &n, &l, &nb, r.data(), &n, b, &ldb, reflector.data(), &nb, work.data(), &info);
  check_arguments("dtpqrt", info);
}

void add_range(Tsqr& tsqr, Index first, Index last, const RowSource& source) {
  Buffer block(std::min(block_rows, last - first), tsqr.cols());
  for (Index i = first; i < last; i += block_rows) {
    const Index end = std::min(last, i + block_rows);
    const View rows = part(block.view(), 0, 0, end - i, tsqr.cols());
    source(i, end, rows);
    tsqr.add(rows);
  }
  tsqr.finish();
}

}  // namespace

Tsqr::Tsqr(Index cols) : r_(cols, cols), reflector_(cols, panel(cols)), work_(cols, panel(cols)) {}

void Tsqr::add(ConstView rows) {
  if (rows.rows == 0 || cols() == 0) return;
  if (block_.rows() == 0) block_ = Buffer(cols(), block_rows);
  for (Index i = 0; i < rows.rows;) {
    const Index count = std::min(rows.rows - i, block_rows - pending_);
    transpose_into({rows.row(i), count, rows.cols, rows.stride}, block_, pending_);
    pending_ += count;
    i += count;
    if (pending_ == block_rows) reduce();
  }
}

void Tsqr::reduce() {
  if (pending_ == 0) return;
  eliminate(r_, block_.data(), pending_, block_rows, 0, reflector_, work_);
  pending_ = 0;
}

void Tsqr::merge(const Tsqr& other) {
  if (cols() == 0) return;
  reduce();
  Buffer copy(cols(), cols());
  std::copy_n(other.r_.data(), cols() * cols(), copy.data());
  eliminate(r_, copy.data(), cols(), cols(), cols(), reflector_, work_);
  Buffer row(1, cols());  // a pending row of other, which is stored column-major
  for (Index i = 0; i < other.pending_; ++i) {
    for (Index j = 0; j < cols(); ++j) row.view()(0, j) = other.block_.view()(j, i);
    add(row.view());
  }
}

void Tsqr::finish() {
  reduce();
  block_ = Buffer();
}

Buffer Tsqr::r(Diagonal diagonal) {
  reduce();
  Buffer out(cols(), cols());
  for (Index i = 0; i < cols(); ++i) {
    const bool flip = diagonal == Diagonal::nonnegative && r_.view()(i, i) < 0.0;
    for (Index j = i; j < cols(); ++j) {
      out.view()(i, j) = flip ? -r_.view()(j, i) : r_.view()(j, i);
    }
  }
  return out;
}

// A chunk has at least four blocks and 4·cols rows (merging two R factors costs about as much
// as reducing cols rows). More than eight chunks only where their R factors take at most 1/32
// of the memory of the rows; at most 64 chunks, and at most 256 MiB of R factors.
Index tall_r_chunks(Index rows, Index cols) {
  constexpr double max_bytes = 0x1p28;
  const auto n = static_cast<double>(rows), d = static_cast<double>(std::max<Index>(1, cols));
  const double by_rows = n / std::max(4.0 * block_rows, 4.0 * d);
  const double by_memory = max_bytes / (8.0 * d * d);
  const double by_r_share = std::max(8.0, n / (32.0 * d));
  return static_cast<Index>(std::clamp(std::min({by_rows, by_memory, by_r_share}), 1.0, 64.0));
}

Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal) {
  const Index count = tall_r_chunks(rows, cols);
  std::vector<Tsqr> parts;
  for (Index c = 0; c < count; ++c) parts.emplace_back(cols);
  team.run(count, [&](Index c) {
    add_range(parts[to_size(c)], rows * c / count, rows * (c + 1) / count, source);
  });
  for (Index step = 1; step < count; step *= 2) {
    team.run((count + step - 1) / (2 * step), [&](Index pair) {
      const Index left = 2 * step * pair;
      if (left + step < count) parts[to_size(left)].merge(parts[to_size(left + step)]);
    });
  }
  return parts.front().r(diagonal);
}

}  // namespace polyak::internal
