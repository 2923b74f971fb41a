#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "problem/planted.hpp"
#include "problem/varied.hpp"

// The sparse kinds of varied problems.

namespace polyak::internal::varied {
namespace {

using Rows = Csr<double, std::int32_t>;

struct Entry {
  Index col;
  double value;
};
using Row = std::vector<Entry>;  // columns ascend

// A CSR matrix; row(i, out) makes row i. Ranges of rows are made in parallel and joined in order.
template <class MakeRow>
MatrixPtr csr_of(const Shape& shape, ThreadTeam& team, const MakeRow& row) {
  constexpr Index range = 4096;  // the range of for_row_ranges
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

// Draws the number of rows for this number of columns; a row has about `per_row` entries.
Shape sparse_shape(Draws& draws, Index cols, double min_ratio, double per_row,
                   double max_rows = 500e3) {
  const double max_entries = 5e6, upper = std::min(max_rows, max_entries / per_row);
  const double lower = std::max(min_ratio * static_cast<double>(cols),
                                std::min(draws.min_entries(1e5) / per_row, 0.5 * upper));
  const double many = std::max(lower + 1.0, upper);
  return {static_cast<Index>(draws.log_between(lower, many)), cols};
}

std::uint64_t at(Index i) { return static_cast<std::uint64_t>(i); }

// A Poisson number from a uniform number, by inversion of the distribution function.
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

// k normal entries per row at random columns, one in each of k equal ranges of columns.
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

// Entries 0 and 1; each column has its own probability of a 1, between p/4 and 4p.
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

// Categorical factors, each with several levels; a row has a 1 for its level of each factor. The
// frequency of levels decreases like 1/rank^s. The last level of the first factor is rare or
// never occurs. With `reference` the first level of each factor except one is left out; without
// it the columns are linearly dependent.
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
    std::vector<std::vector<double>>
        below;  // for each factor the cumulative probabilities of its levels
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
                       // A level with probability 0 has an empty interval.
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

// Row i has `width` consecutive entries around column i·d/n.
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

// Poisson counts with means c_j·r_i: log-normal r, and c from 1/10 to 10 times `level`. Stored as
// CSR if most counts are zero, else dense.
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

}  // namespace polyak::internal::varied
