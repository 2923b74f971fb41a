#include "solve/auto/row_subset.hpp"

#include <algorithm>

#include "core/file_pages.hpp"
#include "core/large_arrays.hpp"
#include "core/random.hpp"
#include "polyak/ranks.hpp"
#include "sampling/used_rows.hpp"

namespace polyak {
namespace {

// Everything but A and b.
ProblemData others_of(const Problem& problem, const std::vector<Index>& rows) {
  ProblemData data;
  for (Index i : rows)
    if (!problem.weights().empty()) data.weights.push_back(problem.weights()[to_size(i)]);
  count_file_places(problem.weights().data(), std::ssize(rows));
  data.ridge = problem.ridge();
  data.ridge_factors = problem.data().ridge_factors;
  data.intercept = problem.has_intercept();
  data.lower = problem.lower();
  data.upper = problem.upper();
  data.x0 = transposed(problem.x0());
  if (problem.has_reference()) data.reference = transposed(problem.reference());
  return data;
}

// 0 unless A is one array of doubles or floats.
Index row_bytes_of(const RowMatrix& A) {
  if (A.rows() == 0 || partition(A).ranks() > 1) return 0;
  for (const Index size : {Index{8}, Index{4}})
    if (A.bytes() == static_cast<double>(A.rows()) * static_cast<double>(A.cols() * size))
      return A.cols() * size;
  return 0;
}

}  // namespace

std::vector<Index> random_rows(Index rows, Index count, std::uint64_t seed, std::uint64_t draw,
                               const std::vector<Index>& taken) {
  const Random random(seed, stream::subset + draw);
  std::vector<Index> out;
  count = std::min(count, rows - std::ssize(taken));
  // In rounds, until there are enough different rows: a few rounds, as callers want a small
  // part of the rows.
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
                                  std::uint64_t draw, const std::vector<Index>& taken) {
  if (problem.weights().empty()) return random_rows(problem.rows(), count, seed, draw, taken);
  UsedRows weighted;  // rows of positive weight; their ranks are drawn
  for_parts(problem.weights(), [&](std::span<const double> part, Index) { weighted.add(part); });
  weighted.finish();
  std::vector<Index> taken_ranks, out;
  for (const Index i : taken) taken_ranks.push_back(weighted.rank(i));
  for (const Index rank : random_rows(weighted.count(), count, seed, draw, taken_ranks))
    out.push_back(weighted.row(rank));
  return out;
}

Problem subset_of(const Problem& problem, const std::vector<Index>& rows, ThreadTeam& team) {
  const Index m = std::ssize(rows), d = problem.cols(), c = problem.right_hand_sides();
  const Index stored = d - (problem.has_intercept() ? 1 : 0);  // the ones are not copied
  std::vector<double> A(to_size(m * stored)), b(to_size(m * c));
  constexpr Index chunk = 64;
  constexpr Index ahead = 1024;      // rows
  if (problem.A().rows_ahead() > 0)  // then b is probably a mapped file
    for (const Index i : rows) ask_to_read(problem.b().row(i), to_size(c) * sizeof(double));
  count_file_places(problem.b().data, m);
  team.run((m + chunk - 1) / chunk, [&](Index part) {
    const Index first = part * chunk;
    problem.A().expect_rows(
        std::span(rows).subspan(to_size(first), to_size(std::min(ahead, m - first))));
    for (Index t = part * chunk; t < std::min(m, (part + 1) * chunk); ++t) {
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
  data.ridge_factors.clear();
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

Index pages_spanned(std::span<const Index> rows, Index row_bytes) {
  Index count = 0, end_counted = 0;
  for (const Index row : rows) {
    const Index first = row * row_bytes / page_bytes;
    const Index end = ((row + 1) * row_bytes + page_bytes - 1) / page_bytes;
    count += std::max<Index>(0, end - std::max(first, end_counted));
    end_counted = std::max(end_counted, end);
  }
  return count;
}

std::optional<Index> pages_of_rows(const RowMatrix& A, std::span<const Index> rows) {
  const Index row_bytes = row_bytes_of(A);
  if (row_bytes == 0) return std::nullopt;
  return pages_spanned(rows, row_bytes);
}

}  // namespace polyak
