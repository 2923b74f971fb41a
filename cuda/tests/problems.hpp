#pragma once

// Random problems, and one iteration of a method as a plain loop with a bound on rounding.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "cuda/engine.hpp"
#include "sampling/row_table.hpp"
#include "sampling/sampler.hpp"

namespace polyak::cuda::test {
using namespace polyak::internal;

constexpr double unit = std::numeric_limits<double>::epsilon() / 2.0;

template <class Value>
struct Problem {
  Problem(Index n_, Index d_, bool weighted = false) : n(n_), d(d_), values(to_size(n_ * d_)) {
    const Random random(11, stream::entries);
    for (Index i = 0; i < n * d; ++i)
      values[to_size(i)] = static_cast<Value>(2.0 * random.uniform(0, at(i)) - 1.0);
    for (Index i = 0; i < n; ++i) {
      b.push_back(2.0 * random.uniform(1, at(i)) - 1.0);
      if (weighted) weights.push_back(0.25 + random.uniform(2, at(i)));
      double norm = 0.0;
      for (Index j = 0; j < d; ++j) norm += a(i, j) * a(i, j);
      law.push_back(i % 17 == 5 && n > 6 ? 0.0 : norm);  // some rows are never drawn
    }
    for (Index j = 0; j < d; ++j) {
      x.push_back(2.0 * random.uniform(3, at(j)) - 1.0);
      previous.push_back(2.0 * random.uniform(4, at(j)) - 1.0);
    }
  }
  double a(Index i, Index j) const { return static_cast<double>(values[to_size(i * d + j)]); }
  double weight(Index i) const { return weights.empty() ? 1.0 : weights[to_size(i)]; }
  Engine engine() const {
    Engine out(0, MatrixView<const Value>{values.data(), n, d, d}, b, weights);
    auto starts = integer_starts(law).of_row;
    starts.resize(to_size(n + 1));
    out.set_sampling(starts);
    out.set_state(x, previous);
    return out;
  }
  static std::uint64_t at(Index i) { return static_cast<std::uint64_t>(i); }

  Index n, d;
  std::vector<Value> values;
  std::vector<double> b, weights, law, x, previous;
};

/// A gradient in long double, and Σ_t w_t·|a_tj|·(Σ|a||x| + |b|) for each column.
struct Gradient {
  std::vector<long double> g, size;
  long double square = 0.0L;
};

/// `rows` with `weights` at the point y.
template <class Value>
Gradient plain_gradient(const Problem<Value>& p, const std::vector<Index>& rows,
                        const std::vector<double>& weights, const std::vector<double>& y) {
  Gradient out{std::vector<long double>(to_size(p.d)), std::vector<long double>(to_size(p.d))};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    long double r = -static_cast<long double>(p.b[to_size(rows[t])]), size = std::abs(r);
    for (Index j = 0; j < p.d; ++j) {
      const long double term = static_cast<long double>(p.a(rows[t], j)) * y[to_size(j)];
      r += term;
      size += std::abs(term);
    }
    const long double w = weights[t];
    out.square += w * r * r;
    for (Index j = 0; j < p.d; ++j) {
      out.g[to_size(j)] += w * r * p.a(rows[t], j);
      out.size[to_size(j)] += w * size * std::abs(p.a(rows[t], j));
    }
  }
  return out;
}

/// Roundings that a term of the gradient can meet: d in its dot product, one per row and
/// one per partial sum when rows are added, few for weight and step; to first order.
template <class Value>
double roundings(const Problem<Value>& p, Index rows) {
  return static_cast<double>(p.d + rows + 512);
}

}  // namespace polyak::cuda::test
