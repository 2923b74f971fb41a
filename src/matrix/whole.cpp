#include "matrix/whole.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace polyak {

void RowMatrix::kaczmarz_within(std::span<const Index> rows, std::span<const double> steps,
                                double scale, ConstView b, std::span<const double> lower,
                                std::span<const double> upper, View x) const {
  for (std::size_t t = 0; t < rows.size(); ++t) {
    kaczmarz(rows.subspan(t, 1), steps.subspan(t, 1), scale, b, x);
    for (Index c = 0; c < x.rows; ++c)
      for (Index j = 0; j < x.cols; ++j)
        x(c, j) = std::clamp(x(c, j), lower[to_size(j)], upper[to_size(j)]);
  }
}

// Numbers of at least 0 order like their bits. From the highest four bits down:
// whoever has the largest digit so far goes on, the others only listen.
double largest_of_ranks(const RowMatrix& A, double value) {
  if (A.share().ranks == 1) return value;
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(value));  // NaN of either sign
  std::uint64_t largest = 0;
  bool leads = true;
  for (int shift = 60; shift >= 0; shift -= 4) {
    double seen[16] = {};
    const auto digit = (bits >> shift) & 15u;
    if (leads) seen[digit] = 1.0;
    A.complete(seen);
    std::uint64_t highest = 15;
    while (highest > 0 && seen[highest] == 0.0) --highest;
    leads = leads && digit == highest;
    largest |= highest << shift;
  }
  return std::bit_cast<double>(largest);
}

std::optional<Place> first_of_ranks(const RowMatrix& A, const std::optional<Place>& own) {
  if (A.share().ranks == 1) return own;
  const double mine = own ? static_cast<double>(A.rows() - own->row) : 0.0;
  const double first = largest_of_ranks(A, mine);
  if (first == 0.0) return std::nullopt;
  double parts[3] = {};
  if (mine == first) {
    parts[0] = static_cast<double>(own->row);
    parts[1] = static_cast<double>(own->col);
    parts[2] = own->value;
  }
  A.complete(parts);
  return Place{static_cast<Index>(parts[0]), static_cast<Index>(parts[1]), parts[2]};
}

double sum_in_row_order(const RowMatrix& A, std::span<const double> own) {
  const Share here = A.share();
  double sum = 0.0;
  for (Index rank = 0; rank < here.ranks; ++rank) {
    if (rank != here.rank)
      sum = 0.0;
    else
      for (double v : own) sum += v;
    A.complete({&sum, 1});  // what one rank says, on all of them
  }
  return sum;
}

Buffer whole_r(const RowMatrix& A, Index cols, const RowSource& source, ThreadTeam& team) {
  const Share own = A.share();
  const auto held = [&](Index first, Index last, View out) {
    source(own.first + first, own.first + last, out);
  };
  Buffer r = tall_r(own.rows->rows(), cols, held, team);
  if (own.ranks == 1) return r;
  Tsqr all(cols);
  for (Index rank = 0; rank < own.ranks; ++rank) {
    Buffer next(cols, cols);
    if (rank == own.rank) next = std::move(r);
    A.complete({next.data(), to_size(cols * cols)});
    all.add(next.view());
  }
  return all.r();
}

}  // namespace polyak
