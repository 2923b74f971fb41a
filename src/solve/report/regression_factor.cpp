#include "solve/report/regression_factor.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/svd.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// Rows for the factorisation; on their way the columns that vary are noted.
class WeightedRows {
 public:
  WeightedRows(const Problem& problem, Scale scale)
      : problem_(problem), scale_(scale), first_(to_size(problem.cols())), varies_(first_.size()) {
    for (Index i = 0; i < problem.rows(); ++i) {
      if (weight(i) == 0.0) continue;
      problem.A().copy_rows(i, i + 1, {first_.data(), 1, problem.cols(), problem.cols()});
      break;
    }
    communicator(problem.A()).sum(first_);
  }

  void copy(Index first, Index last, View out) {
    const Index d = problem_.cols();
    problem_.A().copy_rows(first, last, part(out, 0, 0, last - first, d));
    for (Index i = first; i < last; ++i) {
      double* row = out.row(i - first);
      if (weight(i) > 0.0) compare(row);
      const double root = std::sqrt(weight(i));
      for (Index j = 0; j < d; ++j) row[j] = row[j] * scale_.a * root;
      for (Index c = 0; c < problem_.right_hand_sides(); ++c)
        row[d + c] = problem_.b()(i, c) * scale_.b * root;
    }
  }

  bool has_constant_column() const {
    std::vector<double> varies(varies_.begin(), varies_.end());
    communicator(problem_.A()).sum(varies);
    for (std::size_t j = 0; j < first_.size(); ++j)
      if (first_[j] != 0.0 && varies[j] == 0.0) return true;
    return false;
  }

 private:
  double weight(Index i) const {
    return problem_.weights().empty() ? 1.0 : problem_.weights()[to_size(i)];
  }
  void compare(const double* row) {  // several threads, each only ever writes true
    for (std::size_t j = 0; j < first_.size(); ++j)
      if (row[j] != first_[j] && !varies_[j].load(std::memory_order_relaxed))
        varies_[j].store(true, std::memory_order_relaxed);
  }

  const Problem& problem_;
  Scale scale_;
  std::vector<double> first_;  // the first row that counts
  std::vector<std::atomic<bool>> varies_;
};

Index rank_of(ConstView R) {
  const SvdSolution svd = singular_values(R);
  if (!svd.ok)
    throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
  const auto& s = svd.singular_values;
  if (s.empty()) return 0;
  const double line = rank_threshold(R.rows, R.cols) * s.front();
  return std::count_if(s.begin(), s.end(), [line](double v) { return v > line; });
}

}  // namespace

RegressionFactor::RegressionFactor(const Problem& problem, Scale scale, ThreadTeam& team)
    : d_(problem.cols()), c_(problem.right_hand_sides()) {
  WeightedRows rows(problem, scale);
  r_ = distributed_r(
      problem.A(), d_ + c_, [&](Index first, Index last, View out) { rows.copy(first, last, out); },
      team);
  constant_ = rows.has_constant_column();
  rank_ = rank_of(part(std::as_const(r_).view(), 0, 0, d_, d_));
}

RegressionFactor::RegressionFactor(Buffer r, Index d, bool has_constant_column)
    : d_(d), c_(r.cols() - d), r_(std::move(r)), constant_(has_constant_column) {
  rank_ = rank_of(part(std::as_const(r_).view(), 0, 0, d_, d_));
}

double RegressionFactor::least_residual2(Index c) const {
  double sum = 0.0;
  for (Index i = d_; i < d_ + c_; ++i) sum += r_.view()(i, d_ + c) * r_.view()(i, d_ + c);
  return sum;
}

double RegressionFactor::excess2(Index c, const std::vector<double>& x) const {
  double sum = 0.0;
  for (Index i = 0; i < d_; ++i) {
    double r = -r_.view()(i, d_ + c);
    for (Index j = i; j < d_; ++j) r += r_.view()(i, j) * x[to_size(j)];
    sum += r * r;
  }
  return sum;
}

// Rows of T·R⁻¹, where x = T·z: of unknown j its unit times row j; of the intercept the
// last row less the centres of the others.
std::vector<double> RegressionFactor::inverse_diagonal(const ColumnMap* map) const {
  Buffer inverse(d_, d_);
  for (Index i = 0; i < d_; ++i) inverse.view()(i, i) = 1.0;
  solve_left(part(r_.view(), 0, 0, d_, d_), inverse.view());
  if (map)
    for (Index i = 0; i < d_; ++i)
      for (Index j = i; j < d_; ++j) inverse.view()(i, j) *= map->units[to_size(i)];
  for (Index i = 0; map && i < std::ssize(map->centre); ++i)
    for (Index j = i; j < d_; ++j)
      inverse.view()(d_ - 1, j) -= map->centre[to_size(i)] * inverse.view()(i, j);
  std::vector<double> out(to_size(d_));
  for (Index i = 0; i < d_; ++i) {
    const double* row = inverse.view().row(i);
    for (Index j = 0; j < d_; ++j) out[to_size(i)] += row[j] * row[j];
  }
  return out;
}

}  // namespace polyak
