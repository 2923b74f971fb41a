#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/thread_team.hpp"
#include "linalg/blas.hpp"
#include "linalg/svd.hpp"
#include "matrix/products.hpp"
#include "matrix/rank_rows.hpp"
#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"
#include "problem/planted.hpp"

namespace polyak::internal {
namespace {

using Long = std::vector<long double>;
constexpr double max_work = 1.5e11;  // n·d² up to which QR is used
constexpr double eps = std::numeric_limits<double>::epsilon();

// Calls each(column, value) for the entries of a row.
template <class Value, class Each>
void entries(const kernels::DenseRow<Value>& row, const Each& each) {
  for (Index j = 0; j < row.d; ++j) each(j, static_cast<double>(row.a[j]));
}
template <class Value, class Column, class Each>
void entries(const kernels::SparseRow<Value, Column>& row, const Each& each) {
  for (Index k = 0; k < row.count; ++k)
    each(static_cast<Index>(row.col[k]), static_cast<double>(row.a[k]));
}

struct Gradient {
  Long g;  // Aᵀ(b − A·x)
  long double residual2 = 0.0L;
};

class Refinement {
 public:
  Refinement(const RowMatrix& A, ConstView b, ThreadTeam& team)
      : A_(A), b_(b), team_(team), x_(to_size(A.cols()), 0.0L), scale_(x_.size(), 0.0) {
    std::vector<double> row_norms2(to_size(A.rows()));
    A.norms(0, A.rows(), 1.0, row_norms2, scale_);
    for (double& s : scale_) s = s > 0.0 ? std::exp2(std::round(0.5 * std::log2(s))) : 1.0;
  }

  RefinedSolution run() {
    const auto n = static_cast<double>(A_.rows()), d = static_cast<double>(A_.cols());
    const bool by_qr = n * d * d <= max_work && A_.rows() >= A_.cols();
    if (by_qr) factor();
    if (by_qr && !regular_) return least_norm_solution();
    refine(by_qr ? Solve([this](View g) { solve_by_r(g); })
                 : Solve([this](View g) { solve_by_cg(g); }));
    if (by_qr && !contracts_) return least_norm_solution();
    out_.unique = contracts_;
    return finish();
  }

 private:
  using Solve = std::function<void(View)>;  // g ← (D⁻¹AᵀA·D⁻¹)⁻¹·g, approximately

  void factor() {
    const Index d = A_.cols();
    const auto source = [&](Index first, Index last, View out) {
      A_.copy_rows(first, last, part(out, 0, 0, last - first, d));
      for (Index i = first; i < last; ++i) {
        double* row = out.row(i - first);
        for (Index j = 0; j < d; ++j) row[j] /= scale_[to_size(j)];
        row[d] = b_(i, 0);
      }
    };
    r_ = distributed_r(A_, d + 1, source, team_);
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < d; ++j) least = std::min(least, std::abs(r_.view()(j, j)));
    regular_ = least > static_cast<double>(d) * eps;
    if (!regular_) return;
    Buffer z(d, 1);
    for (Index j = 0; j < d; ++j) z.view()(j, 0) = r_.view()(j, d);
    solve_left(part(r_.view(), 0, 0, d, d), z.view());
    for (Index j = 0; j < d; ++j) out_.x_qr.push_back(z.view()(j, 0) / scale_[to_size(j)]);
    std::copy(out_.x_qr.begin(), out_.x_qr.end(), x_.begin());
  }

  void solve_by_r(View g) const {
    const Index d = A_.cols();
    const ConstView R = part(r_.view(), 0, 0, d, d);
    solve_left(R, g, Transpose::yes);
    solve_left(R, g);
  }

  // Conjugate gradients on the scaled normal equations, to a relative residual of 1e-8.
  void solve_by_cg(View g) const {
    const Index d = A_.cols(), max_iterations = 4000;
    Products products(A_, {}, {}, team_);
    const std::vector<double> no_b(to_size(A_.rows()), 0.0);
    std::vector<double> r(g.data, g.data + d), p = r, z(to_size(d), 0.0), at(z), q(z);
    const auto dot = [](const auto& u, const auto& v) {
      double sum = 0.0;
      for (std::size_t j = 0; j < u.size(); ++j) sum += u[j] * v[j];
      return sum;
    };
    double rr = dot(r, r), residual2 = 0.0;
    const double enough = 1e-16 * rr;
    for (Index k = 0; k < max_iterations && rr > enough; ++k) {
      for (std::size_t j = 0; j < at.size(); ++j) at[j] = p[j] / scale_[j];
      products.full_gradient({at.data(), 1, d, d}, {no_b.data(), A_.rows(), 1, 1},
                             {q.data(), 1, d, d}, {&residual2, 1});
      for (std::size_t j = 0; j < q.size(); ++j) q[j] /= scale_[j];
      const double alpha = rr / dot(p, q);
      for (std::size_t j = 0; j < z.size(); ++j) z[j] += alpha * p[j], r[j] -= alpha * q[j];
      const double next = dot(r, r), beta = next / rr;
      for (std::size_t j = 0; j < p.size(); ++j) p[j] = r[j] + beta * p[j];
      rr = next;
    }
    std::copy(z.begin(), z.end(), g.data);
  }

  // Stops when a correction no longer changes x in double precision, or when the corrections no
  // longer decrease. Starts from the x of QR: from x = 0 the gradient, rounded to double, would
  // cause an error of eps·condition² in the first step.
  void refine(const Solve& solve) {
    constexpr int max_steps = 15;
    const Index d = A_.cols();
    double last = std::numeric_limits<double>::infinity();
    for (int step = 0; step < max_steps; ++step) {
      const Gradient at = gradient();
      Buffer g(d, 1);
      for (Index j = 0; j < d; ++j)
        g.view()(j, 0) = static_cast<double>(at.g[to_size(j)] / scale_[to_size(j)]);
      solve(g.view());
      double change2 = 0.0, size2 = 0.0;
      for (Index j = 0; j < d; ++j) {
        const double z = g.view()(j, 0), s = scale_[to_size(j)];
        x_[to_size(j)] += static_cast<long double>(z / s);
        change2 += z * z;
        size2 += std::pow(static_cast<double>(x_[to_size(j)]) * s, 2);
      }
      if (!std::isfinite(change2)) break;
      out_.error = size2 > 0.0 ? std::sqrt(change2 / size2) : 0.0;
      if (out_.error <= 1e-18 || out_.error > 0.5 * last) break;
      last = out_.error;
    }
    contracts_ = out_.error <= 1e-4;
  }

  // In long double; the sums of ranges of rows are added in their order.
  Gradient gradient() const {
    Gradient out{Long(x_.size(), 0.0L), 0.0L};
    bool known = false;
    as_stored(A_, [&](const auto& rows) {
      known = true;
      add_gradient(rows, out);
      return MatrixPtr{};
    });
    if (!known) throw Error(ErrorCode::internal, {.what = "the matrix is not in memory"});
    return out;
  }

  template <class Rows>
  void add_gradient(const Rows& rows, Gradient& out) const {
    const Index chunks = std::min<Index>(64, A_.rows());
    std::vector<Gradient> parts(to_size(chunks));
    team_.run(chunks, [&](Index k) {
      Gradient& own = parts[to_size(k)];
      own.g.assign(x_.size(), 0.0L);
      for (Index i = k * A_.rows() / chunks; i < (k + 1) * A_.rows() / chunks; ++i) {
        long double r = b_(i, 0);
        entries(rows.row(i), [&](Index j, double a) { r -= a * x_[to_size(j)]; });
        entries(rows.row(i), [&](Index j, double a) { own.g[to_size(j)] += r * a; });
        own.residual2 += r * r;
      }
    });
    for (const Gradient& own : parts) {
      for (std::size_t j = 0; j < out.g.size(); ++j) out.g[j] += own.g[j];
      out.residual2 += own.residual2;
    }
  }

  // The minimiser is not unique to working precision: minimum-norm solution by dgelsd on R.
  RefinedSolution least_norm_solution() {
    const Index d = A_.cols();
    Buffer M(d, d), z(1, d);
    for (Index i = 0; i < d; ++i) {
      for (Index j = i; j < d; ++j) M.view()(i, j) = r_.view()(i, j);
      z.view()(0, i) = r_.view()(i, d);
    }
    const double rcond = static_cast<double>(A_.rows()) * eps;
    if (!least_squares_svd(M.view(), z.view(), rcond).ok)
      throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
    for (Index j = 0; j < d; ++j)
      x_[to_size(j)] = static_cast<long double>(z.view()(0, j) / scale_[to_size(j)]);
    out_.x_qr.clear();
    out_.unique = false;
    out_.error = 1.0;
    return finish();
  }

  RefinedSolution finish() {
    out_.x.clear();
    for (const long double v : x_) out_.x.push_back(static_cast<double>(v));
    out_.residual_norm = static_cast<double>(std::sqrt(gradient().residual2));
    return std::move(out_);
  }

  const RowMatrix& A_;
  ConstView b_;
  ThreadTeam& team_;
  Long x_;
  std::vector<double> scale_;  // D, rounded to powers of two
  Buffer r_;
  bool regular_ = false, contracts_ = false;
  RefinedSolution out_;
};

}  // namespace

RefinedSolution refined_least_squares(const RowMatrix& A, ConstView b, ThreadTeam& team) {
  return Refinement(A, b, team).run();
}

}  // namespace polyak::internal
