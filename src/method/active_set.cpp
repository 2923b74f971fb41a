#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "matrix/rank_rows.hpp"
#include "method/bounded_least_squares.hpp"
#include "method/record.hpp"
#include "polyak/ranks.hpp"
#include "problem/least_squares.hpp"

namespace polyak::internal {
namespace {

// Bounded least squares exactly: one read of A gives R and S of
//   [√W·Ã  √W·b̃; √ridge·I  0] = Q·[R S; 0 T],
// and ‖Ãx − b̃‖² = ‖Rx − S‖² + ‖T‖² is minimised within the bounds by an active-set
// method on the small factor (method/bounded_least_squares.hpp). One iteration. With
// no more than 1.5 rows a column, and no ridge, the rows themselves are small enough.
class ActiveSet final : public Method {
 public:
  explicit ActiveSet(const Setting& setting) : Method(setting) {}

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) {
      solve(small_system());
      counters_.row_products = setting_.problem.rows();
    }
    counters_.iteration = last;
  }

  bool finished() const override { return counters_.iteration > 0; }
  const RankFound* rank() const override { return found_.known ? &found_ : nullptr; }

 private:
  // [√W·Ã  √W·b̃], rows [first, last).
  void copy_rows(Index first, Index last, View out) const {
    const Problem& problem = setting_.problem;
    const Scale scale = setting_.facts.scale;
    problem.A().copy_rows(first, last, part(out, 0, 0, last - first, d_));
    for (Index i = first; i < last; ++i) {
      const double root =
          problem.weights().empty() ? 1.0 : std::sqrt(problem.weights()[to_size(i)]);
      double* row = out.row(i - first);
      for (Index j = 0; j < d_; ++j) row[j] = row[j] * scale.a * root;
      for (Index c = 0; c < vectors_; ++c) row[d_ + c] = problem.b()(i, c) * scale.b * root;
    }
  }

  // [R S; 0 T], or [Ã b̃] itself.
  Buffer small_system() const {
    const RowMatrix& A = setting_.problem.A();
    const Index width = d_ + vectors_;
    const auto source = [&](Index first, Index last, View out) { copy_rows(first, last, out); };
    Buffer rows = small() ? all_rows() : distributed_r(A, width, source, setting_.team);
    return has_ridge() ? with_ridge(rows.view()) : std::move(rows);
  }

  // The free columns are factored again in any case: where R is hardly smaller than the rows,
  // computing it costs more than it saves.
  bool small() const { return 2 * setting_.problem.rows() <= 3 * d_; }
  // Rows from d on are zero but for the right-hand sides.
  bool triangular() const { return has_ridge() || !small(); }

  Buffer all_rows() const {
    const RowMatrix& A = setting_.problem.A();
    Buffer rows(A.rows(), d_ + vectors_);
    copy_rows(0, A.rows(), rows.view());
    communicator(A).sum({rows.data(), to_size(A.rows() * (d_ + vectors_))});
    return rows;
  }

  Buffer with_ridge(ConstView rows) const {
    Buffer stacked(rows.rows + d_, rows.cols);
    for (Index i = 0; i < rows.rows; ++i)
      std::copy_n(rows.row(i), rows.cols, stacked.view().row(i));
    for (Index j = 0; j < d_; ++j) stacked.view()(rows.rows + j, j) = std::sqrt(ridge(j));
    householder_r(stacked.view());
    return stacked;  // rows below the first d + c are zero
  }

  // Row d of the system of one right-hand side is ‖T‖: no x changes it, but thresholds for
  // rounding are relative to it.
  void solve(const Buffer& rows) {
    const ConstView all = rows.view();
    const Index m = triangular() ? std::min(rows.rows(), d_) : rows.rows();
    const Index rest = rows.rows() - m;
    BoundedLeastSquares system(part(all, 0, 0, rest > 0 ? m + 1 : m, d_));
    const std::vector<double> lower = bound(setting_.problem.lower(), -1.0);
    const std::vector<double> upper = bound(setting_.problem.upper(), 1.0);
    std::vector<double> x = read_x();
    for (Index c = 0; c < vectors_; ++c) {
      std::vector<double> s, below;
      for (Index i = 0; i < m; ++i) s.push_back(all(i, d_ + c));
      for (Index i = 0; i < rest; ++i) below.push_back(all(m + i, d_ + c));
      if (rest > 0) s.push_back(norm(below.data(), rest));
      solve(system, s, {lower, upper}, host_view(x).row(c));
    }
    write_x(x);
    if (system.rank())
      found_ = {true, *system.rank(), rank_threshold(m, d_), system.dependent(), std::nullopt};
  }

  void solve(BoundedLeastSquares& system, std::span<const double> s, Limits limits,
             double* x) const {
    std::vector<double> scaled(to_size(d_));
    for (Index j = 0; j < d_; ++j) scaled[to_size(j)] = x[j] / unit_;
    system.solve(s, limits, scaled);
    for (Index j = 0; j < d_; ++j) x[j] = scaled[to_size(j)] * unit_;
  }

  std::vector<double> bound(const std::vector<double>& given, double side) const {
    std::vector<double> out(to_size(d_), side * std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < given.size(); ++j) out[j] = given[j] / unit_;
    return out;
  }

  RankFound found_;
};

// R, or the rows of a wide A; scaled, with its Gram matrix, and twice for the free columns.
// Where A does not have full rank, its singular values.
double active_set_memory(const WorkingMemory& m) {
  const double width = m.d() + m.c(), small = std::min(m.n(), m.d()) * width;
  return m.n() < m.d() ? 7.0 * small : std::max(m.factor(m.n(), width), 5.0 * width * width);
}

Proposal propose_active_set(const CandidateInputs& in) {
  if (!in.shape.bounds) return {};
  if (!in.can_factor()) return rule_out(candidate::too_large_to_factor());
  if (const double bytes = 5.0 * std::min(in.n, in.d) * in.d * 8.0;
      bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("its factors take {:.2g} GB", bytes / 1e9));
  return propose({.method = active_set_record().info.name,
                  .why = "exactly, by QR and the columns off their bounds",
                  .seconds = in.costs.active_set()});
}

}  // namespace

const MethodRecord& active_set_record() {
  static const MethodRecord record{.info = {"active-set", "bounded least squares exactly, by QR",
                                            trait::bounds | trait::ridge, false},
                                   .make = construct<ActiveSet>,
                                   .memory = active_set_memory,
                                   .turn = Turn::factorisation,
                                   .propose = propose_active_set};
  return record;
}

}  // namespace polyak::internal
