#include "problem/planted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "core/large_arrays.hpp"
#include "linalg/blas.hpp"
#include "linalg/tsqr.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"

namespace polyak::internal {
namespace {

ConstView column(const std::vector<double>& v) { return {v.data(), ssize(v), 1, 1}; }
ConstView vector(const std::vector<double>& v) { return {v.data(), 1, ssize(v), ssize(v)}; }

// x* = x + argmin ‖A·y − epsilon‖: the correction is small, and so is its error.
void solve_for_noise(GeneratedProblem& problem, const std::vector<double>& noise,
                     ThreadTeam& team) {
  const auto correction = qr_least_squares(*problem.A, column(noise), {}, {}, team);
  if (!correction.ok) {
    throw Error(ErrorCode::internal,
                {.what = "the singular values of a generated matrix did not converge"});
  }
  std::vector<double> x(correction.x);
  for (Index j = 0; j < ssize(x); ++j) x[to_size(j)] += problem.x_planted(j);
  problem.x_least_squares = Array(std::move(x), problem.A->cols());
  problem.residual_norm = correction.residual_norms.front();
}

Buffer inverse(const Buffer& R) {
  Buffer out(R.rows(), R.cols());
  for (Index i = 0; i < R.rows(); ++i) out.view()(i, i) = 1.0;
  solve_left(R.view(), out.view());
  return out;
}

void copy(ConstView from, View to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
}

}  // namespace

// A normal vector scaled to the radius is uniform on the sphere. The sum of squares is formed
// by ranges and combined in order, for the same bits with any number of threads.
std::vector<double> noise_of_norm(double radius, Index size, std::uint64_t seed, ThreadTeam& team) {
  constexpr Index range = 4096;
  const Random random(seed, stream::noise);
  std::vector<double> z(to_size(size)), sums(to_size((size + range - 1) / range), 0.0);
  team.run(ssize(sums), [&](Index k) {
    const Index first = k * range, last = std::min(size, first + range);
    double* out = z.data() + first;
    random.normals(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(last - first), out);
    sums[to_size(k)] = std::inner_product(out, out + (last - first), out, 0.0);
  });
  const double norm = std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
  for (double& value : z) value = value / norm * radius;
  return z;
}

void refuse(const std::string& field, const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::usage, {.what = "a problem cannot be generated with this value",
                                 .where = field,
                                 .found = found,
                                 .expected = expected});
}

void require_size(const std::string& field, Index found, Index least) {
  if (found < least) refuse(field, std::to_string(found), "at least " + std::to_string(least));
}

void require_number(const std::string& field, double found, double least, bool open) {
  const bool inside = open ? found > least : found >= least;
  if (inside && std::isfinite(found)) return;
  const std::string bound = (open ? "above " : "at least ") + std::to_string(least);
  refuse(field, std::to_string(found), "a finite number " + bound);
}

void require_options(const GenerateOptions& options) {
  require_number("noise", options.noise, 0.0);
  require_size("threads", options.threads, 0);
}

void require_memory(double bytes, const std::string& what, const std::string& field,
                    const std::string& size) {
  if (bytes > physical_memory_bytes())
    throw Error(ErrorCode::out_of_memory,
                {.what = "no memory for " + what, .where = field, .found = size});
}

std::vector<double> dense_storage(Index rows, Index cols) {
  constexpr Index max_count = std::numeric_limits<std::ptrdiff_t>::max() / Index{sizeof(double)};
  const std::string size = std::to_string(rows) + " x " + std::to_string(cols);
  if (rows > max_count / cols) refuse("rows", size, "a matrix that can be addressed");
  const double bytes = static_cast<double>(rows) * static_cast<double>(cols) * sizeof(double);
  require_memory(bytes, "a dense matrix", "rows", size);
  try {
    return large_vector<double>(to_size(rows * cols));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory,
                {.what = "no memory for a dense matrix", .where = "rows", .found = size});
  }
}

void fill_normal(const Random& random, Index first, Index last, View A) {
  for (Index i = first; i < last; ++i) {
    random.normals(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(A.cols), A.row(i));
  }
}

std::vector<double> normal_solution(Index cols, const GenerateOptions& options) {
  std::vector<double> x(to_size(cols));
  Random(options.seed, stream::planted).normals(0, x.size(), x.data());
  return x;
}

GeneratedProblem plant(MatrixPtr A, std::vector<double> x, const GenerateOptions& options,
                       ThreadTeam& team) {
  const Index n = A->rows(), d = A->cols();
  std::vector<double> b(to_size(n));
  for_row_ranges(n, team, [&](Index first, Index last) {
    A->multiply(first, last, vector(x), {b.data() + first, last - first, 1, 1});
  });
  GeneratedProblem problem;
  problem.A = std::move(A);
  problem.x_planted = problem.x_least_squares = Array(std::move(x), d);
  if (options.noise > 0.0) {
    const auto noise = noise_of_norm(options.noise, n, options.seed, team);
    for (Index i = 0; i < n; ++i) b[to_size(i)] += noise[to_size(i)];
    solve_for_noise(problem, noise, team);
  }
  problem.b = Array(std::move(b), n);
  return problem;
}

// The Q factor of a normal matrix G is Haar distributed if the diagonal of R is positive. One
// round, G·R⁻¹, is orthonormal only up to cond(G)·eps, which is about eps for a tall G but grows
// like cols for a square G. A second round on that matrix reaches eps; the product of two R with
// positive diagonals has a positive diagonal.
Buffer haar_frame(View Q, const Random& random, ThreadTeam& team) {
  const auto draw = [&](Index first, Index last, View out) {
    fill_normal(random, first, last, Q);
    copy(part(Q, first, 0, last - first, Q.cols), out);
  };
  const Buffer R = tall_r(Q.rows, Q.cols, draw, team, Diagonal::nonnegative);
  multiply_rows(Q, inverse(R).view(), team);
  const auto read = [&](Index first, Index last, View out) {
    copy(part(Q, first, 0, last - first, Q.cols), out);
  };
  return tall_r(Q.rows, Q.cols, read, team, Diagonal::nonnegative);
}

void multiply_rows(View A, ConstView M, ThreadTeam& team) {
  constexpr Index step = 512;
  for_row_ranges(A.rows, team, [&](Index first, Index last) {
    Buffer block(std::min(step, last - first), A.cols);
    for (Index i = first; i < last; i += step) {
      const View rows = part(A, i, 0, std::min(step, last - i), A.cols);
      const View old = part(block.view(), 0, 0, rows.rows, A.cols);
      copy(rows, old);
      gemm(1.0, old, Transpose::no, M, Transpose::no, 0.0, rows);
    }
  });
}

}  // namespace polyak::internal
