#include "spectrum/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/svd.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"
#include "spectrum/gram.hpp"

namespace polyak::internal {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double max_work = 1e10;  // n·d² up to which a QR is made only to find the rank

Buffer factor_of(const RowMatrix& A, const RowFactor& factor, ThreadTeam& team) {
  const auto rows = [&](Index first, Index, View out) { load_rows(A, factor, first, out); };
  return distributed_r(A, A.cols(), rows, team);
}

// By QR the rounding error of a zero eigenvalue is about eps²·lambda_max.
std::vector<double> eigenvalues_by_qr(ConstView R) {
  const SvdSolution svd = singular_values(R);
  if (!svd.ok)
    throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
  std::vector<double> values(svd.singular_values.rbegin(), svd.singular_values.rend());
  for (double& v : values) v *= v;
  return values;
}

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(double c, const Vector& v, Vector& w) {
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= c * v[j];
}

double normalise(Vector& v) {
  const double norm = std::sqrt(dot(v, v));
  if (norm > 0.0)
    for (double& x : v) x /= norm;
  return norm;
}

Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& off) {
  const Index m = std::ssize(diagonal);
  Vector T(to_size(m * m), 0.0);
  for (Index i = 0; i < m; ++i) {
    T[to_size(i * m + i)] = diagonal[to_size(i)];
    if (i + 1 < m) T[to_size(i * m + i + 1)] = T[to_size((i + 1) * m + i)] = off[to_size(i)];
  }
  return eigenvalues_of(std::move(T), m);
}

}  // namespace

std::vector<double> eigenvalues_of(std::vector<double> H, Index d) {
  std::vector<double> values(to_size(d));
  if (!symmetric_eigenvalues({H.data(), d, d, d}, values))
    throw Error(ErrorCode::internal, {.what = "the eigenvalues of A'A did not converge"});
  return values;
}

void eigenvectors_of(std::vector<double>& H, std::vector<double>& values) {
  const Index d = std::ssize(values);
  if (!symmetric_eigen({H.data(), d, d, d}, values))
    throw Error(ErrorCode::internal, {.what = "the eigenvectors of A'A did not converge"});
}

double smallest_above(const std::vector<double>& values, double line) {
  const auto first = std::upper_bound(values.begin(), values.end(), line);
  return first == values.end() ? values.back() : *first;
}

Resolved resolve(const RowMatrix& A, const RowFactor& factor, std::vector<double> values,
                 double additions, ThreadTeam& team) {
  Resolved out;
  out.values = std::move(values);
  const double top = out.values.back(), line = static_cast<double>(out.values.size()) * eps * top;
  // The rounding errors of the sums in AᵀA may be above that line (for n equal rows they are),
  // and then a zero eigenvalue may be computed above it.
  const double doubtful = line + additions * eps * top;
  const auto n = static_cast<double>(A.rows()), d = static_cast<double>(A.cols());
  const double lowest = smallest_above(out.values, line);
  const bool in_doubt = lowest > line && lowest <= doubtful;
  const bool hidden = out.values.front() <= doubtful && n * d * d <= max_work;
  out.factored = in_doubt || hidden;
  const auto above = [](const std::vector<double>& all, double least) {
    return std::count_if(all.begin(), all.end(), [&](double v) { return v > least; });
  };
  out.rank = above(out.values, line);
  if (out.factored) {
    const Buffer R = factor_of(A, factor, team);
    const std::vector<double> by_qr = eigenvalues_by_qr(R.view());
    if (in_doubt) out.values = by_qr;
    const Index resolved = above(out.values, line);
    out.threshold = rank_threshold(A.rows(), A.cols());
    out.rank =
        std::max<Index>(resolved, above(by_qr, out.threshold * out.threshold * by_qr.back()));
    if (out.rank < A.cols()) out.dependent = dependences(R.view(), out.rank).columns;
    out.unresolved = out.rank - resolved;
    if (out.unresolved > 0)
      out.smallest_singular = std::sqrt(by_qr[by_qr.size() - to_size(out.rank)] / by_qr.back());
  }
  out.lambda_min = smallest_above(out.values, line);
  return out;
}

RitzValues lanczos(Index d, Index steps, const Random& random,
                   const std::function<void(std::span<const double>, std::span<double>)>& apply) {
  std::vector<Vector> basis;
  Vector diagonal, off, v(to_size(d)), w(to_size(d));
  random.normals(0, static_cast<std::uint64_t>(d), v.data());
  normalise(v);
  bool exhausted = false;
  for (Index k = 0; k < std::min(d, steps); ++k) {
    basis.push_back(v);
    apply(v, w);
    diagonal.push_back(dot(v, w));
    // Two rounds keep the basis orthogonal to rounding.
    for (int round = 0; round < 2; ++round)
      for (const Vector& q : basis) subtract(dot(q, w), q, w);
    const double norm = normalise(w);
    const double largest = *std::max_element(diagonal.begin(), diagonal.end());
    exhausted = norm <= 1e-14 * largest || k + 1 == d;
    if (exhausted) break;
    off.push_back(norm);
    std::swap(v, w);
  }
  return {tridiagonal_eigenvalues(diagonal, off), exhausted};
}

}  // namespace polyak::internal
