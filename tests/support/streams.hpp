#pragma once

// Tables for the tests of rows that are read once, and their solutions.

#include <cmath>

#include "polyak/solve_stream.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::streams {

// Columns of norms from 1 to `ratio`, and a constant `offset` of their size; `noise` relative to b.
inline ProblemData table(Index n, Index d, double noise, unsigned seed, double ratio = 1.0,
                         double offset = 0.0, Index sides = 1) {
  Rows A = random(n, d, seed), x = random(d, sides, seed + 1);
  A.array() += offset;
  for (Index j = 0; j < d; ++j) {
    const double size = std::pow(ratio, static_cast<double>(j) / static_cast<double>(d));
    A.col(j) *= size;
    x.row(j) /= size;
  }
  Rows b = A * x;
  b += noise * b.norm() / std::sqrt(static_cast<double>(n)) * random(n, sides, seed + 2);
  return data(A, b);
}

inline StreamProblem stream_problem(const ProblemData& parts) {
  StreamProblem out;
  out.b = parts.b;
  out.weights = parts.weights;
  out.ridge = parts.ridge;
  out.intercept = parts.intercept;
  out.reference = parts.reference;
  return out;
}

inline Report streamed(const ProblemData& parts, const SolveOptions& options = {}) {
  const auto rows = row_stream(parts.A);
  return solve_stream(*rows, stream_problem(parts), options);
}

inline Report by_direct(const ProblemData& parts, SolveOptions options = {}) {
  options.method = "direct";
  return solve(Problem(parts), options);
}

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// In long doubles, on columns that an intercept centres; without weights and ridge.
inline Long long_solution(const ProblemData& parts) {
  const Index n = parts.A->rows(), d = parts.A->cols();
  Long A(n, d), b(n, 1), x(d + 1, 1);
  std::vector<double> row(to_size(d));
  for (Index i = 0; i < n; ++i) {
    parts.A->copy_rows(i, i + 1, {row.data(), 1, d, d});
    for (Index j = 0; j < d; ++j) A(i, j) = row[to_size(j)];
    b(i, 0) = parts.b(i);
  }
  Long means = Long::Zero(1, d);
  if (parts.intercept) means = A.colwise().mean();
  A.rowwise() -= means.row(0);
  const long double mean = parts.intercept ? b.mean() : 0.0L;
  b.array() -= mean;
  x.topRows(d) = A.householderQr().solve(b);
  x(d, 0) = mean - (means * x.topRows(d))(0, 0);
  return parts.intercept ? x : Long(x.topRows(d));
}

}  // namespace polyak::test::streams
