#include "spectrum/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/file_pages.hpp"
#include "kernels/reference.hpp"
#include "matrix/column_map.hpp"
#include "polyak/ranks.hpp"
#include "spectrum/gram.hpp"

namespace polyak {
namespace {

constexpr double unit_roundoff = 0x1p-53;
// Squared norms of this size come from numbers that need no scaling (facts.cpp: exponents up to
// 200), and entries that the Gram kernel sets to zero (below 2^-500) change no digit of them.
constexpr int safe_exponent2 = 400;

double gamma(double additions) {
  return additions * unit_roundoff / (1.0 - additions * unit_roundoff);
}

bool in_range(double norm2, double rows) {
  return std::isfinite(norm2) && norm2 > 0.0 && std::ilogb(norm2) <= safe_exponent2 &&
         std::ilogb(norm2 / rows) >= -safe_exponent2;
}

// Whether the diagonal is in range, also as it was summed: in the units in which A is stored.
// Columns may be zero.
bool diagonal_in_range(const RowMatrix& A, const NormalEquations& normal) {
  const MappedMatrix* mapped = as_mapped(A);
  const double rows = std::max(1.0, static_cast<double>(A.rows()));
  for (Index j = 0; j < normal.d + normal.c; ++j) {
    const double norm2 = normal.row(j)[j];
    if (norm2 == 0.0 && j < normal.d) continue;
    const double unit = mapped && j < normal.d ? mapped->map().units[to_size(j)] : 1.0;
    if (!in_range(norm2, rows) || !in_range(norm2 / unit / unit, rows)) return false;
  }
  return true;
}

// Counts the zero rows of [A b] that gram() finds.
class ZeroRowCounter {
 public:
  explicit ZeroRowCounter(const Problem& problem) : problem_(problem) {
    const MappedMatrix* mapped = as_mapped(problem.A());
    ones_ = mapped && mapped->map().ones;  // not among the stored columns
  }

  FoundRows& rows() { return rows_; }

  void give_to(MatrixFacts& facts) {
    communicator(problem_.A()).sum(counts_);
    facts.zero_rows = static_cast<Index>(counts_[0]);
    facts.zero_rows_with_rhs = static_cast<Index>(counts_[1]);
  }

 private:
  void count(Index i) {
    const bool weighs = problem_.weights().empty() || problem_.weights()[to_size(i)] > 0.0;
    if (ones_ && weighs) return;
    const double* const b = problem_.b().row(i);
    counts_[0] += 1.0;
    counts_[1] +=
        weighs && std::any_of(b, b + problem_.b().cols, [](double v) { return v != 0.0; });
  }

  const Problem& problem_;
  bool ones_ = false;
  double counts_[2] = {0.0, 0.0};
  FoundRows rows_{[this](Index i) { count(i); }};
};

void facts_of(const NormalEquations& normal, MatrixFacts& facts) {
  const auto columns = normal.norms.begin() + normal.d;
  facts.column_norms.assign(normal.norms.begin(), columns);
  facts.b_norms.assign(columns, normal.norms.end());
  facts.frobenius2 = 0.0;
  facts.zero_columns.clear();
  for (Index j = 0; j < normal.d; ++j) {
    facts.frobenius2 += normal.row(j)[j];
    if (normal.row(j)[j] == 0.0) facts.zero_columns.push_back(j);
  }
}

}  // namespace

void NormalEquations::scale_columns(std::span<const double> factors) {
  const auto factor = [&](Index j) { return j < d ? factors[to_size(j)] : 1.0; };
  for (Index j = 0; j < d + c; ++j) {
    for (Index k = 0; k < d + c; ++k) all[to_size(j * (d + c) + k)] *= factor(j) * factor(k);
    norms[to_size(j)] *= factor(j);
  }
}

void scale_columns(SweptFacts& swept, std::span<const double> factors) {
  swept.normal->scale_columns(factors);
  facts_of(*swept.normal, swept.facts);
}

// Where the centre of sparse rows is a term of rank one, products with it cancel digits: in AᵀA
// (mapped_gram), and in the residual of a later read, whose rounding then exceeds base_errors.
bool can_sweep(const RowMatrix& A) {
  if (A.only_products() || A.rows() == 0 || A.cols() == 0) return false;
  const MappedMatrix* mapped = as_mapped(A);
  double cancels = mapped && !mapped->centred_by_entry() ? 1.0 : 0.0;
  communicator(A).sum({&cancels, 1});
  return cancels == 0.0;
}

SweptFacts sweep(const Problem& problem, ThreadTeam& team) {
  // Beside the additions: the products, the root of the weight in each of their factors, panels
  // that are not full.
  constexpr double other_roundings = 12.0;
  const RowMatrix& A = problem.A();
  NormalEquations normal{.n = A.rows(), .d = A.cols(), .c = problem.right_hand_sides()};
  ZeroRowCounter zero_rows(problem);
  std::function<double(Index)> factor;
  if (!problem.weights().empty())
    factor = [w = problem.weights()](Index i) {
      use_in_turn(w.data(), i);
      return std::sqrt(w[to_size(i)]);
    };
  normal.all = gram(A, factor, team, problem.b(), &zero_rows.rows());
  normal.rounding = gamma(gram_additions(A) + other_roundings);
  for (Index j = 0; j < normal.d + normal.c; ++j)
    normal.norms.push_back(std::sqrt(normal.row(j)[j]));
  SweptFacts out;
  facts_of(normal, out.facts);
  const bool in_range = diagonal_in_range(A, normal);
  if (in_range && out.facts.zero_columns.empty()) {
    zero_rows.give_to(out.facts);
    out.facts.rows_read = static_cast<double>(A.rows());
    out.normal = std::move(normal);
    return out;
  }
  // A column that is zero here may be only very small: its norm never underflows to 0.
  const std::vector<Index> zero_columns = std::move(out.facts.zero_columns);
  out.facts = gather_facts(problem, team, nullptr, most_kept_norms);
  out.facts.rows_read += static_cast<double>(A.rows());
  const Scale scale = out.facts.scale;
  if (in_range && scale.a == 1.0 && scale.b == 1.0 && out.facts.zero_columns == zero_columns)
    out.normal = std::move(normal);
  return out;
}

// Sums of d products have chains of d/8 additions (kernels::lane_sum) and a few more; the rounding
// of a sum of their results is that of the same length again.
NormalModel::NormalModel(const NormalEquations& equations)
    : equations_(equations),
      row_rounding_(gamma(static_cast<double>(equations.d) / 8.0 + 16.0)),
      rounding_(equations.rounding + 3.0 * row_rounding_),
      origin_(state_size(equations.c, equations.d), 0.0),
      state_(origin_.size(), 0.0) {
  double* next = origin_.data() + 1 + size();
  for (Index k = 0; k < equations.c; ++k)
    for (Index j = 0; j < equations.d; ++j) *next++ = -equations.rhs(j, k);
  for (Index k = 0; k < equations.c; ++k) *next++ = equations.rhs2(k);
}

void NormalModel::read_at(ConstView x, ConstView g, std::span<const double> residual2) {
  state_[0] = 1.0;
  double* next = std::copy_n(x.data, size(), state_.data() + 1);
  next = std::copy_n(g.data, size(), next);
  std::copy(residual2.begin(), residual2.end(), next);
}

bool NormalModel::known_at(ConstView x) const {
  return std::equal(base(), base_gradient(), x.data);
}

NormalModel::Errors NormalModel::base_errors(Index k) const {
  double S = equations_.norms[to_size(equations_.d + k)];
  const double r = std::sqrt(base_residual2()[k]);
  if (state_[0] == 0.0) return {rounding_ * S * S, rounding_ * S};
  for (Index j = 0; j < equations_.d; ++j)
    S += equations_.norms[to_size(j)] * std::abs(base()[k * equations_.d + j]);
  const double e = row_rounding_ * S, sums = gamma(static_cast<double>(equations_.n) + 16.0);
  return {e * (2.0 * r + e) + sums * r * r, e + sums * r};
}

// g = g_0 + AᵀWA·s and ‖r‖² = ‖r_0‖² + sᵀ(g_0 + g) for the step s from the base.
NormalModel::Value NormalModel::at(const double* x, Index k, double* g) const {
  const Index d = equations_.d;
  const double* const x0 = base() + k * d;
  const double* const g0 = base_gradient() + k * d;
  std::vector<double> s(to_size(d));
  double D = 0.0;
  for (Index j = 0; j < d; ++j) {
    s[to_size(j)] = x[j] - x0[j];
    D += equations_.norms[to_size(j)] * std::abs(s[to_size(j)]);
  }
  for (Index j = 0; j < d; ++j) {
    const double* const row = equations_.row(j);
    g[j] = g0[j] + kernels::lane_sum(d, [&](Index i) { return row[i] * s[to_size(i)]; });
  }
  const double r0 = std::sqrt(base_residual2()[k]);
  const double last = 4.0 * unit_roundoff * r0;  // the additions to g_0 and to ‖r_0‖²
  const Errors of_base = base_errors(k);
  constexpr double upwards = 1.01;  // for the rounding of the bounds themselves
  Value out;
  out.residual2 = base_residual2()[k] +
                  kernels::lane_sum(d, [&](Index j) { return s[to_size(j)] * (g0[j] + g[j]); });
  out.residual2_error = upwards * (rounding_ * (D * D + 2.0 * r0 * D) + last * r0 +
                                   2.0 * of_base.gradient * D + of_base.residual2);
  out.gradient_error = upwards * (rounding_ * D + last + of_base.gradient);
  return out;
}

}  // namespace polyak
