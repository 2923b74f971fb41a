#include "solve/stream/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/factor.hpp"
#include "linalg/svd.hpp"
#include "problem/least_norm.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// A power of two near 1/v, which is finite as its inverse is.
double unit_for(double v) { return std::clamp(1.0 / power_of_two_near(v), 0x1p-1000, 0x1p1000); }

class Fitting {
 public:
  Fitting(const Triangle& triangle, const FitOptions& options)
      : triangle_(triangle),
        options_(options),
        J_(triangle.unknowns()),
        height_(triangle.height()) {}

  TriangleFit run() {
    map_columns();
    map_rhs();
    choose_bases();
    out_.ok = std::all_of(out_.norms.begin(), out_.norms.end(), is_number) &&
              std::all_of(out_.b_norms.begin(), out_.b_norms.end(), is_number) && solve();
    if (!out_.ok) return std::move(out_);
    if (out_.found.rank < J_ && options_.ridge == 0.0) find_dependences();
    to_user();
    return std::move(out_);
  }

 private:
  static bool is_number(double v) { return std::isfinite(v); }
  double root_ridge(Index j) const { return j < triangle_.d ? std::sqrt(options_.ridge) : 0.0; }
  double level(Index k) const {
    return triangle_.levels.empty() ? 0.0 : triangle_.levels[to_size(k)];
  }
  double unit(Index j) const { return out_.map.units[to_size(j)]; }
  std::size_t at(Index k, Index j) const { return to_size(k * J_ + j); }

  double column_norm(Index j) const {
    std::vector<double> column;
    for (Index i = 0; i <= j; ++i) column.push_back(triangle_.r.view()(i, j));
    return norm_of_any_size(column.data(), std::ssize(column));
  }

  // A column that does not vary beyond the rounding of its centre says what the intercept says.
  bool is_constant(Index j, double norm) const {
    constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
    if (j >= std::ssize(triangle_.centre) || triangle_.centre[to_size(j)] == 0.0) return false;
    return norm <=
           rounding * std::abs(triangle_.centre[to_size(j)]) * std::sqrt(triangle_.total_weight);
  }

  // The norms by which columns are scaled: with the rows of the ridge; 0 for removed ones.
  std::vector<double> sizes() {
    std::vector<double> out(to_size(J_));
    for (Index j = 0; j < J_; ++j) {
      const double norm = out_.norms[to_size(j)];
      if (is_constant(j, norm)) {
        out_.constant_columns.push_back(j);
        continue;
      }
      if (norm == 0.0) out_.zero_columns.push_back(j);
      out[to_size(j)] = std::hypot(norm, root_ridge(j));
    }
    return out;
  }

  void map_columns() {
    for (Index j = 0; j < J_; ++j) out_.norms.push_back(column_norm(j));
    const std::vector<double> size = sizes();
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    for (const double v : size) {
      if (v > 0.0) smallest = std::min(smallest, v);
      largest = std::max(largest, v);
    }
    out_.map = ColumnMap::plain(triangle_.d, triangle_.intercept);
    out_.map.centre = triangle_.centre;
    out_.scaled = options_.scale_columns && largest > 0.0 &&
                  (out_.map.centred() || largest > max_norm_ratio * smallest);
    out_.S = Buffer(height_, J_);
    for (Index j = 0; j < J_; ++j) map_column(j, size[to_size(j)], largest);
  }

  void map_column(Index j, double size, double largest) {
    const double by = out_.scaled ? size : largest;
    const bool removed = !(size > 0.0) || !is_number(by);
    out_.map.units[to_size(j)] = removed ? 0.0 : unit_for(by);
    for (Index i = 0; i <= j && !removed; ++i)
      out_.S.view()(i, j) = triangle_.r.view()(i, j) * unit(j);
    if (is_number(out_.norms[to_size(j)])) out_.norms[to_size(j)] *= unit(j);
  }

  void map_rhs() {
    double largest = 0.0;
    for (Index k = 0; k < triangle_.c; ++k) {
      out_.b_norms.push_back(column_norm(triangle_.b(k)));
      largest = std::max(largest, out_.b_norms.back());
    }
    if (largest > 0.0 && is_number(largest)) out_.scale_b = unit_for(largest);
    for (double& v : out_.b_norms) v *= out_.scale_b;
    for (Index k = 0; k < triangle_.c; ++k) out_.user_b_norms.push_back(user_norm(k));
    out_.b = Buffer(height_, triangle_.c);
    for (Index k = 0; k < triangle_.c; ++k) copy_rhs(triangle_.b(k), k, out_.b);
  }

  // ‖b_k‖ with its level, in the same units.
  double user_norm(Index k) const {
    if (level(k) == 0.0) return out_.b_norms[to_size(k)];
    std::vector<double> whole;
    for (Index i = 0; i <= triangle_.b(k); ++i) {
      const double one = i <= triangle_.d ? triangle_.r.view()(i, triangle_.d) : 0.0;
      whole.push_back((triangle_.r.view()(i, triangle_.b(k)) + level(k) * one) * out_.scale_b);
    }
    return norm_of_any_size(whole.data(), std::ssize(whole));
  }

  void copy_rhs(Index column, Index k, Buffer& to) const {
    for (Index i = 0; i < height_; ++i)
      to.view()(i, k) = i <= column ? triangle_.r.view()(i, column) * out_.scale_b : 0.0;
  }

  // A start has no part of a column that was removed: the small problem could not undo it.
  bool is_whole(Index k) const {
    for (Index j = 0; j < J_; ++j)
      if (unit(j) == 0.0 && triangle_.start[at(k, j)] != 0.0) return false;
    return true;
  }

  // The start is the base where it explains some of b.
  void choose_bases() {
    out_.rhs = Buffer(height_, triangle_.c);
    out_.base.assign(at(triangle_.c, 0), 0.0);
    for (Index k = 0; k < triangle_.c; ++k) {
      const double whole = out_.b_norms[to_size(k)];
      const bool given = !triangle_.start.empty() && is_whole(k);
      const double left = given ? column_norm(triangle_.start_residual(k)) * out_.scale_b : whole;
      const bool use = left < whole;
      out_.rhs_norms.push_back(use ? left : whole);
      copy_rhs(use ? triangle_.start_residual(k) : triangle_.b(k), k, out_.rhs);
      for (Index j = 0; j < J_ && use; ++j)
        if (unit(j) != 0.0)
          out_.base[at(k, j)] = triangle_.start[at(k, j)] / unit(j) * out_.scale_b;
    }
  }

  // min ‖[S; √ridge·D]·step − [rhs; −√ridge·D·base]‖, the step of least norm.
  bool solve() {
    const Index extra = options_.ridge > 0.0 ? J_ : 0;
    Buffer stacked(J_ + extra, J_), step(triangle_.c, J_ + extra);
    for (Index i = 0; i < J_; ++i) std::copy_n(out_.S.view().row(i), J_, stacked.view().row(i));
    for (Index j = 0; j < extra; ++j) stacked.view()(J_ + j, j) = root_ridge(j) * unit(j);
    for (Index k = 0; k < triangle_.c; ++k) {
      for (Index i = 0; i < J_; ++i) step.view()(k, i) = out_.rhs.view()(i, k);
      for (Index j = 0; j < extra; ++j)
        step.view()(k, J_ + j) = -stacked.view()(J_ + j, j) * out_.base[at(k, j)];
    }
    RankFound& found = out_.found;
    found.known = true;
    found.threshold = rank_threshold(static_cast<Index>(triangle_.rows), J_);
    const SvdSolution svd = least_squares_svd(stacked.view(), step.view(),
                                              std::max(found.threshold, options_.least_rcond));
    if (!svd.ok) return false;
    found.rank = svd.rank;
    if (svd.rank > 0)
      found.condition = svd.singular_values.front() / svd.singular_values[to_size(svd.rank - 1)];
    for (Index k = 0; k < triangle_.c; ++k)
      out_.step.insert(out_.step.end(), step.view().row(k), step.view().row(k) + J_);
    out_.z = out_.base;
    for (std::size_t i = 0; i < out_.z.size(); ++i) out_.z[i] += out_.step[i];
    return true;
  }

  // ‖S·v − rhs_k‖, or ‖S·v‖ for k < 0.
  double image(const double* v, Index k) const {
    double sum = 0.0;
    for (Index i = 0; i < height_; ++i) {
      double r = k < 0 ? 0.0 : -out_.rhs.view()(i, k);
      for (Index j = i; j < J_; ++j) r += out_.S.view()(i, j) * v[j];
      sum += r * r;
    }
    return std::sqrt(sum);
  }

  // The change to the shortest x must not be seen in the fit.
  bool fits_as_well(Index k, const double* change) const {
    constexpr double harmless = 1e-9;  // of ‖r‖, or of the terms that it is the difference of
    const double changed = image(change, -1), r = image(out_.step.data() + at(k, 0), k);
    double terms = out_.b_norms[to_size(k)];
    for (Index j = 0; j < J_; ++j) terms += out_.norms[to_size(j)] * std::abs(out_.z[at(k, j)]);
    return changed <= harmless * r || r + changed <= harmless * terms;
  }

  void find_dependences() {
    Dependences found =
        dependences(part(std::as_const(out_.S).view(), 0, 0, J_, J_), out_.found.rank);
    out_.found.dependent = std::move(found.columns);
    const ConstView N = std::as_const(found.null_space).view();
    const auto changes = steps_to_shortest(out_.map, N, {out_.z.data(), triangle_.c, J_, J_});
    for (Index k = 0; k < triangle_.c; ++k) {
      const bool made = changes && fits_as_well(k, changes->view().row(k));
      for (Index j = 0; j < J_ && made; ++j) {
        out_.z[at(k, j)] += changes->view()(k, j);
        out_.step[at(k, j)] += changes->view()(k, j);
      }
      out_.found.nearest = out_.found.nearest && made;
    }
  }

  void to_user() {
    const std::vector<double> zero(to_size(J_), 0.0);
    std::vector<double> z(to_size(J_));
    out_.x.resize(out_.z.size());
    for (Index k = 0; k < triangle_.c && J_ > 0; ++k) {
      for (Index j = 0; j < J_; ++j) z[to_size(j)] = out_.z[at(k, j)] / out_.scale_b;
      out_.map.to_user(z.data(), zero.data(), level(k), out_.x.data() + at(k, 0));
    }
  }

  const Triangle& triangle_;
  const FitOptions& options_;
  Index J_, height_;
  TriangleFit out_;
};

}  // namespace

TriangleFit fit_triangle(const Triangle& triangle, const FitOptions& options) {
  return Fitting(triangle, options).run();
}

}  // namespace polyak
