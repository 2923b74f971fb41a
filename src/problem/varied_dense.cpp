#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "problem/planted.hpp"
#include "problem/varied.hpp"

// The dense kinds of varied problems.

namespace polyak::internal::varied {
namespace {

// A dense matrix; row(i, out) fills row i.
template <class Row>
MatrixPtr dense_of(const Shape& shape, ThreadTeam& team, const Row& row) {
  std::vector<double> values = dense_storage(shape.rows, shape.cols);
  for_row_ranges(shape.rows, team, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) row(i, values.data() + i * shape.cols);
  });
  return dense_matrix(std::move(values), shape.rows, shape.cols);
}

void normal_row(const Random& random, Index i, Index cols, double* out) {
  random.normals(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(cols), out);
}

std::vector<double> normals(const Random& random, std::uint64_t k, Index count) {
  std::vector<double> out(to_size(count));
  random.normals(k, out.size(), out.data());
  return out;
}

}  // namespace

// Random singular vectors; singular values evenly spaced in the logarithm, or all 1 except one
// small one.
Recipe spectrum(Draws& draws) {
  const Shape shape = dense_shape(draws, {5, 800, 2.0});
  const double condition = draws.chance(0.25) ? 1.0 : draws.log_between(1.0, 1e9);
  const bool one_small = draws.chance(0.25);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    SpectrumProblem problem;
    problem.rows = shape.rows;
    problem.cols = shape.cols;
    problem.decay = Decay::given;
    const auto last = static_cast<double>(shape.cols - 1);
    for (Index j = 0; j < shape.cols; ++j) {
      const double t =
          one_small ? (j == shape.cols - 1 ? 1.0 : 0.0) : static_cast<double>(j) / last;
      problem.squared_singular_values.push_back(std::pow(condition, -2.0 * t));
    }
    return {generate(problem, {.seed = seed, .threads = team.size()}).A, {}};
  };
  return {
      shape,
      fmt::format("condition {:.2g}{}", condition, one_small ? ", one small singular value" : ""),
      make};
}

// Normal entries, one to two rows per column.
Recipe near_square(Draws& draws) {
  Shape shape;
  shape.cols = draws.count_between(draws.min_entries(1.0) > 0.0 ? 150 : 20, 1200);
  const double ratio = draws.chance(0.2) ? 1.0 : draws.between(1.0, 2.0);
  shape.rows = static_cast<Index>(ratio * static_cast<double>(shape.cols));
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries);
    return {
        dense_of(shape, team, [&](Index i, double* a) { normal_row(random, i, shape.cols, a); }),
        {}};
  };
  return {shape, fmt::format("{:.3g} rows a column", ratio), make};
}

// a_ij = r_i·c_j·z_ij with log-normal r and c.
Recipe skewed(Draws& draws) {
  const Shape shape = dense_shape(draws, {5, 500, 4.0});
  const double of_rows = draws.between(0.0, 2.0), of_cols = draws.between(0.0, 3.0);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries), scales(seed, streams::scales);
    const std::vector<double> r = normals(scales, 0, shape.rows),
                              c = normals(scales, 1, shape.cols);
    return {dense_of(shape, team,
                     [&](Index i, double* a) {
                       normal_row(random, i, shape.cols, a);
                       const double scale = of_rows * r[to_size(i)];
                       for (Index j = 0; j < shape.cols; ++j)
                         a[j] *= std::exp(scale + of_cols * c[to_size(j)]);
                     }),
            {}};
  };
  return {shape, fmt::format("log-normal rows ({:.2g}) and columns ({:.2g})", of_rows, of_cols),
          make};
}

// Columns 1, t, t², … of random t.
Recipe polynomial(Draws& draws) {
  const Shape shape = dense_shape(draws, {3, 15, 20.0});
  const double from = draws.chance(0.5) ? -1.0 : 0.0;
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries);
    return {dense_of(shape, team,
                     [&](Index i, double* a) {
                       const double u = random.uniform(static_cast<std::uint64_t>(i), 0);
                       const double t = from + (1.0 - from) * u;
                       a[0] = 1.0;
                       for (Index j = 1; j < shape.cols; ++j) a[j] = a[j - 1] * t;
                     }),
            {}};
  };
  return {shape, fmt::format("powers of t in [{:g}, 1]", from), make};
}

// a_ij = s_(i+d−j): lagged values of the autoregressive series s_t = phi·s_(t−1) + z_t.
Recipe lagged(Draws& draws) {
  const Shape shape = dense_shape(draws, {4, 200, 5.0});
  const double phi = 1.0 - draws.log_between(1e-3, 1.0);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    std::vector<double> s = normals(Random(seed, streams::scales), 0, shape.rows + shape.cols);
    for (std::size_t t = 1; t < s.size(); ++t) s[t] += phi * s[t - 1];
    return {dense_of(shape, team,
                     [&](Index i, double* a) {
                       for (Index j = 0; j < shape.cols; ++j) a[j] = s[to_size(i + shape.cols - j)];
                     }),
            {}};
  };
  return {shape, fmt::format("autoregressive, phi {:.4g}", phi), make};
}

// a_ij = exp(−(t_i − c_j)²/2w²): t random or evenly spaced in [0, 1], c evenly spaced.
Recipe blurred(Draws& draws) {
  const Shape shape = dense_shape(draws, {20, 400, 3.0, 20e3});
  const double spacings = draws.between(0.4, 2.2);
  const bool at_random = draws.chance(0.5);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries);
    const double w = spacings / static_cast<double>(shape.cols);
    return {dense_of(shape, team,
                     [&](Index i, double* a) {
                       const double u =
                           at_random ? random.uniform(static_cast<std::uint64_t>(i), 0) : 0.5;
                       const double t = at_random ? u
                                                  : (static_cast<double>(i) + u) /
                                                        static_cast<double>(shape.rows);
                       for (Index j = 0; j < shape.cols; ++j) {
                         const double c =
                             (static_cast<double>(j) + 0.5) / static_cast<double>(shape.cols);
                         a[j] = std::exp(-0.5 * ((t - c) / w) * ((t - c) / w));
                       }
                     }),
            {}};
  };
  return {shape,
          fmt::format("Gaussian blur, w = {:.3g}/d, {} places", spacings,
                      at_random ? "random" : "even"),
          make};
}

// Like a table of data: a column of ones, a time in milliseconds since 1970, and columns
// u_j·(m_j + z_ij) with units u from 1e-6 to 1e9 and means m up to 1000 standard deviations.
Recipe offset(Draws& draws) {
  const Shape shape = dense_shape(draws, {3, 40, 10.0});
  const double years = draws.log_between(0.01, 20.0);
  const double max_mean = draws.log_between(1.0, 1e3);
  const auto make = [=](std::uint64_t seed, ThreadTeam& team) -> Made {
    const Random random(seed, stream::entries), scales(seed, streams::scales);
    constexpr double year = 365.25 * 86400e3, start = 1.5e12;
    std::vector<double> unit{1.0, years * year}, mean{1.0, start / (years * year)};
    for (Index j = 2; j < shape.cols; ++j) {
      const auto t = static_cast<std::uint64_t>(j);
      unit.push_back(std::pow(10.0, -6.0 + 15.0 * scales.uniform(0, t)));
      mean.push_back(max_mean * (2.0 * scales.uniform(1, t) - 1.0));
    }
    MatrixPtr A = dense_of(shape, team, [&](Index i, double* a) {
      normal_row(random, i, shape.cols, a);
      a[0] = 1.0;
      a[1] = std::floor(start +
                        years * year *
                            random.uniform(static_cast<std::uint64_t>(i), to_size(shape.cols) + 1));
      for (Index j = 2; j < shape.cols; ++j) a[j] = unit[to_size(j)] * (mean[to_size(j)] + a[j]);
    });
    return {std::move(A), std::move(unit)};
  };
  return {
      shape,
      fmt::format("intercept, milliseconds over {:.2g} years, means up to {:.2g}", years, max_mean),
      make};
}

}  // namespace polyak::internal::varied
