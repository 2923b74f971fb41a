#include "matrix/whole.hpp"

#include <algorithm>

#include "polyak/ranks.hpp"

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

double largest_of_ranks(const RowMatrix& A, double value) {
  communicator(A).max({&value, 1});
  return value;
}

std::optional<Place> first_of_ranks(const RowMatrix& A, const std::optional<Place>& own) {
  Communicator& ranks = communicator(A);
  if (ranks.size() == 1) return own;
  // The smallest row, and among equal rows nobody: each row is stored by one rank.
  const double mine = own ? static_cast<double>(A.rows() - own->row) : 0.0;
  const double first = largest_of_ranks(A, mine);
  if (first == 0.0) return std::nullopt;
  const double root = largest_of_ranks(A, mine == first ? static_cast<double>(ranks.rank()) : 0.0);
  double parts[3] = {};
  if (mine == first) {
    parts[0] = static_cast<double>(own->row);
    parts[1] = static_cast<double>(own->col);
    parts[2] = own->value;
  }
  ranks.broadcast(parts, static_cast<Index>(root));
  return Place{static_cast<Index>(parts[0]), static_cast<Index>(parts[1]), parts[2]};
}

double sum_in_row_order(const RowMatrix& A, std::span<const double> own) {
  Communicator& ranks = communicator(A);
  double sum = 0.0;
  for (Index rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank())
      for (double v : own) sum += v;
    ranks.broadcast({&sum, 1}, rank);
  }
  return sum;
}

Buffer whole_r(const RowMatrix& A, Index cols, const RowSource& source, ThreadTeam& team) {
  const Partition own = partition(A);
  const auto held = [&](Index first, Index last, View out) {
    source(own.first + first, own.first + last, out);
  };
  Buffer r = tall_r(own.rows->rows(), cols, held, team);
  if (own.ranks() == 1) return r;
  Tsqr all(cols);
  for (Index rank = 0; rank < own.ranks(); ++rank) {
    Buffer next(cols, cols);
    if (rank == own.rank()) next = std::move(r);
    own.communicator->broadcast({next.data(), to_size(cols * cols)}, rank);
    all.add(next.view());
  }
  return all.r();
}

}  // namespace polyak
