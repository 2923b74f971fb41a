#include "solve/row_subset.hpp"

#include <algorithm>

#include "core/random.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

// All but A and b.
ProblemData others_of(const Problem& problem, const std::vector<Index>& rows) {
  ProblemData data;
  for (Index i : rows)
    if (!problem.weights().empty()) data.weights.push_back(problem.weights()[to_size(i)]);
  data.ridge = problem.ridge();
  data.ridge_factors = problem.data().ridge_factors;
  data.intercept = problem.has_intercept();
  data.lower = problem.lower();
  data.upper = problem.upper();
  data.x0 = transposed(problem.x0());
  if (problem.has_reference()) data.reference = transposed(problem.reference());
  return data;
}

}  // namespace

std::vector<Index> random_rows(Index rows, Index count, std::uint64_t seed, std::uint64_t which,
                               const std::vector<Index>& taken) {
  const Random random(seed, stream::subset + which);
  std::vector<Index> out;
  count = std::min(count, rows - std::ssize(taken));
  // In rounds, until there are enough different ones: few rounds, as callers
  // want a small part of the rows; the last ones in row order where they do not.
  for (std::uint64_t round = 0; std::ssize(out) < count && round < 64; ++round) {
    const Index missing = count - std::ssize(out);
    std::vector<Index> more;
    for (Index t = 0; t < missing; ++t) {
      const double u = random.uniform(round, static_cast<std::uint64_t>(t));
      const Index row = std::min(rows - 1, static_cast<Index>(u * static_cast<double>(rows)));
      if (!std::binary_search(taken.begin(), taken.end(), row)) more.push_back(row);
    }
    out.insert(out.end(), more.begin(), more.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

std::vector<Index> random_rows_of(const Problem& problem, Index count, std::uint64_t seed,
                                  std::uint64_t which, const std::vector<Index>& taken) {
  std::vector<Index> heavy, out;  // rows that count; their places are drawn
  const auto& weights = problem.weights();
  for (Index i = 0; i < std::ssize(weights); ++i)
    if (weights[to_size(i)] > 0.0) heavy.push_back(i);
  if (std::ssize(heavy) == std::ssize(weights))
    return random_rows(problem.rows(), count, seed, which, taken);
  std::vector<Index> taken_places;
  for (const Index i : taken)
    taken_places.push_back(std::lower_bound(heavy.begin(), heavy.end(), i) - heavy.begin());
  for (const Index place : random_rows(std::ssize(heavy), count, seed, which, taken_places))
    out.push_back(heavy[to_size(place)]);
  return out;
}

Problem subset_of(const Problem& problem, const std::vector<Index>& rows, ThreadTeam& team) {
  const Index m = std::ssize(rows), d = problem.cols(), c = problem.right_hand_sides();
  const Index stored = d - (problem.has_intercept() ? 1 : 0);  // the ones are not copied
  std::vector<double> A(to_size(m * stored)), b(to_size(m * c));
  constexpr Index few = 64;
  team.run((m + few - 1) / few, [&](Index part) {
    for (Index t = part * few; t < std::min(m, (part + 1) * few); ++t) {
      const Index i = rows[to_size(t)];
      std::vector<double> row(to_size(d));
      problem.A().copy_rows(i, i + 1, {row.data(), 1, d, d});
      std::copy_n(row.data(), stored, A.data() + t * stored);
      for (Index k = 0; k < c; ++k) b[to_size(t * c + k)] = problem.b()(i, k);
    }
  });
  communicator(problem.A()).sum(A);
  communicator(problem.A()).sum(b);
  ProblemData data = others_of(problem, rows);
  data.A = dense_matrix(std::move(A), m, stored);
  data.ridge_factors.clear();  // nobody asks for a ridge here
  data.ridge = 0.0;
  data.b = Array(std::move(b), m, c);
  return Problem(std::move(data));
}

std::optional<Problem> part_of(const Problem& problem, const std::vector<Index>& rows) {
  const RowMatrix& A = problem.A();
  const Partition own = partition(A);
  const Index m = std::ssize(rows), c = problem.right_hand_sides();
  const auto from = std::lower_bound(rows.begin(), rows.end(), own.first);
  const auto to = std::lower_bound(from, rows.end(), own.first + own.rows->rows());
  std::vector<Index> here(from, to);
  for (Index& i : here) i -= own.first;
  MatrixPtr part = listed_rows(*own.rows, here);
  double without = part ? 0.0 : 1.0;
  communicator(A).sum({&without, 1});
  if (without > 0.0) return std::nullopt;
  ProblemData data = others_of(problem, rows);
  data.A = own.ranks() == 1
               ? part
               : rank_rows(part, from - rows.begin(), m, {problem.matrix(), own.communicator});
  std::vector<double> b(to_size(m * c), 0.0);
  for (auto row = from; row != to; ++row)
    for (Index k = 0; k < c; ++k) b[to_size((row - rows.begin()) * c + k)] = problem.b()(*row, k);
  data.b = Array(std::move(b), m, c);
  return Problem(std::move(data));
}

}  // namespace polyak
