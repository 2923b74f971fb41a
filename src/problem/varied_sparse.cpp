#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "problem/planted.hpp"
#include "problem/varied.hpp"

// The sparse kinds of varied problems.

namespace polyak::varied {
namespace {

using Rows = Csr<double, std::int32_t>;

struct Entry {
  Index col;
  double value;
};
using Row = std::vector<Entry>;  // columns ascend

// row(i, out) makes row i; made by ranges of rows and put together in their order.
template <class MakeRow>
MatrixPtr csr_of(const Shape& shape, ThreadTeam& team, const MakeRow& row) {
  constexpr Index range = 4096;  // as for_row_ranges has it
  std::vector<Rows> parts(to_size((shape.rows + range - 1) / range));
  for_row_ranges(shape.rows, team, [&](Index first, Index last) {
    Rows& part = parts[to_size(first / range)];
    Row entries;
    for (Index i = first; i < last; ++i) {
      entries.clear();
      row(i, entries);
      for (const Entry& one : entries) {
        part.columns.push_back(static_cast<std::int32_t>(one.col));
        part.values.push_back(one.value);
      }
      part.row_start.push_back(ssize(part.columns));
    }
  });
  Rows all{{0}, {}, {}, shape.cols};
  for (const Rows& part : parts) {
    const Index before = ssize(all.columns);
    for (const Index end : part.row_start) all.row_start.push_back(before + end);
    all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  }
  return csr_matrix(std::move(all));
}

// Rows for the columns, with about `per_row` entries each.
Shape sparse_shape(Draws& draws, Index cols, double least_ratio, double per_row,
                   double most_rows = 500e3) {
  const double most_entries = 5e6, most = std::min(most_rows, most_entries / per_row);
  const double few = std::max(least_ratio * static_cast<double>(cols),
                              std::min(draws.few_entries(1e5) / per_row, 0.5 * most));
  const double many = std::max(few + 1.0, most);
  return {static_cast<Index>(draws.log_between(few, many)), cols};
}

std::uint64_t at(Index i) { return static_cast<std::uint64_t>(i); }

// A Poisson number from a uniform one, by going up the distribution.
double poisson(double u, double mean) {
  double p = std::exp(-mean), below = p, k = 0.0;
  while (u > below && k < 1000.0) {
    k += 1.0;
    p *= mean / k;
    below += p;
  }
  return k;
}

}  // namespace

// Normal numbers in random places: one in each of k equal parts of the columns.
Recipe sparse(Draws& draws) {
  const Index cols = draws.count_between(50, 20'000), k = draws.count_between(3, 30);
  const Shape shape = sparse_shape(draws, cols, 4.0, static_cast<double>(k));
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random values(seed, stream::entries), places(seed, streams::scales);
    return {csr_of(shape, team,
                   [&](Index i, Row& out) {
                     std::vector<double> z(to_size(k));
                     values.normals(at(i), z.size(), z.data());
                     for (Index t = 0; t < k; ++t) {
                       const Index from = cols * t / k, to = cols * (t + 1) / k;
                       const double u = places.uniform(at(i), at(t));
                       out.push_back({from + static_cast<Index>(u * static_cast<double>(to - from)),
                                      z[to_size(t)]});
                     }
                   }),
            {}};
  };
  return {shape, fmt::format("{} entries a row", k), make};
}

// Entries 1 with a probability of their column's own: p/4 to 4p.
Recipe binary(Draws& draws) {
  const Index cols = draws.count_between(20, 600);
  const double p = draws.log_between(0.005, 0.1), per_row = 1.6 * p * static_cast<double>(cols);
  const Shape shape = sparse_shape(draws, cols, 10.0, std::max(1.0, per_row));
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random values(seed, stream::entries), scales(seed, streams::scales);
    std::vector<double> of_col;
    for (Index j = 0; j < cols; ++j)
      of_col.push_back(p * std::pow(4.0, 2.0 * scales.uniform(0, at(j)) - 1.0));
    return {csr_of(shape, team,
                   [&](Index i, Row& out) {
                     for (Index j = 0; j < cols; ++j)
                       if (values.uniform(at(i), at(j)) < of_col[to_size(j)])
                         out.push_back({j, 1.0});
                   }),
            {}};
  };
  return {shape, fmt::format("0/1, about {:.2g} % ones", 100.0 * p), make};
}

// Factors of some levels each, a 1 for the level of the row; how often levels occur falls
// like 1/rank^s. The last level of the first factor is rare or never occurs. Without a
// reference level (the first of each factor but one, left out) columns depend on each other.
Recipe one_hot(Draws& draws) {
  const Index factors = draws.count_between(2, 8);
  std::vector<Index> first{0};
  for (Index f = 0; f < factors; ++f) first.push_back(first.back() + draws.count_between(3, 150));
  const bool reference = draws.chance(0.6);
  const double steepness = draws.between(0.0, 1.2), rare = draws.chance(0.3) ? 0.0 : 5.0;
  const Index dropped = reference ? factors - 1 : 0, cols = first.back() - dropped;
  const Shape shape = sparse_shape(draws, cols, 20.0, static_cast<double>(factors), 300e3);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries);
    std::vector<std::vector<double>> below;  // of each factor: how often that level or one before
    for (Index f = 0; f < factors; ++f) {
      std::vector<double> share;
      for (Index level = 0; level < first[to_size(f + 1)] - first[to_size(f)]; ++level)
        share.push_back(std::pow(static_cast<double>(level + 1), -steepness));
      const double sum = std::accumulate(share.begin(), share.end(), 0.0);
      for (double& one : share) one /= sum;
      if (f == 0) share.back() = rare / static_cast<double>(shape.rows);
      std::partial_sum(share.begin(), share.end(), share.begin());
      below.push_back(std::move(share));
    }
    return {csr_of(shape, team,
                   [&](Index i, Row& out) {
                     for (Index f = 0; f < factors; ++f) {
                       const auto& sums = below[to_size(f)];
                       const double u = random.uniform(at(i), at(f)) * sums.back();
                       // A level that never occurs has an empty interval.
                       const Index level =
                           std::upper_bound(sums.begin(), sums.end() - 1, u) - sums.begin();
                       const Index left_out = reference ? f : 0;
                       if (reference && f > 0 && level == 0) continue;
                       out.push_back({first[to_size(f)] + level - left_out, 1.0});
                     }
                   }),
            {}};
  };
  return {
      shape,
      fmt::format("{} factors{}, one level {}", factors, reference ? "" : " with all their levels",
                  rare == 0.0 ? "that never occurs" : "in about 5 rows"),
      make};
}

// Row i has normal numbers around column i·d/n.
Recipe banded(Draws& draws) {
  const Index cols = draws.count_between(50, 10'000);
  const Index width = std::min(cols, draws.count_between(3, 60));
  const Shape shape = sparse_shape(draws, cols, 1.5, static_cast<double>(width));
  const bool smooth = draws.chance(0.3);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random values(seed, stream::entries);
    return {
        csr_of(shape, team,
               [&](Index i, Row& out) {
                 std::vector<double> z(to_size(width));
                 values.normals(at(i), z.size(), z.data());
                 const Index from = i * (cols - width) / std::max<Index>(1, shape.rows - 1);
                 for (Index t = 0; t < width; ++t)
                   out.push_back({from + t, smooth ? 1.0 + 0.1 * z[to_size(t)] : z[to_size(t)]});
               }),
        {}};
  };
  return {shape, fmt::format("band of {}{}", width, smooth ? ", entries near 1" : ""), make};
}

// Poisson numbers: means of rows log-normal, means of columns from 0.02 to 20 times one
// level. Kept as entries where most are zero, dense otherwise.
Recipe counts(Draws& draws) {
  const double level = draws.log_between(0.02, 5.0), of_rows = draws.between(0.0, 1.0);
  const Shape shape = dense_shape(draws, {5, 300, 10.0, 300e3, 5e6, 3e9});
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random values(seed, stream::entries), scales(seed, streams::scales);
    std::vector<double> r(to_size(shape.rows)), c;
    scales.normals(0, r.size(), r.data());
    for (Index j = 0; j < shape.cols; ++j)
      c.push_back(level * std::pow(10.0, 2.0 * scales.uniform(1, at(j)) - 1.0));
    const auto count = [&](Index i, Index j) {
      const double mean = std::min(500.0, c[to_size(j)] * std::exp(of_rows * r[to_size(i)]));
      return poisson(values.uniform(at(i), at(j)), mean);
    };
    if (level < 0.3)
      return {csr_of(shape, team,
                     [&](Index i, Row& out) {
                       for (Index j = 0; j < shape.cols; ++j)
                         if (const double k = count(i, j); k > 0.0) out.push_back({j, k});
                     }),
              {}};
    std::vector<double> all = dense_storage(shape.rows, shape.cols);
    for_row_ranges(shape.rows, team, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        for (Index j = 0; j < shape.cols; ++j) all[to_size(i * shape.cols + j)] = count(i, j);
    });
    return {dense_matrix(std::move(all), shape.rows, shape.cols), {}};
  };
  return {shape, fmt::format("Poisson, means about {:.2g}", level), make};
}

}  // namespace polyak::varied
