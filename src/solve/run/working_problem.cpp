#include "solve/run/working_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/file_pages.hpp"
#include "method/record.hpp"
#include "polyak/ranks.hpp"
#include "solve/report/column_report.hpp"
#include "solve/run/column_sample.hpp"

namespace polyak {
namespace {

// The ratio of column norms up to which columns are not scaled again, where they were scaled by a
// sample of rows.
constexpr double max_sampled_ratio = 16.0;
constexpr int max_rounds = 3;
constexpr Index sampled_rows = 512;  // for the first units and the means
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int max_exponent = 200;  // |exponents| of weights whose squares and sums are finite

// So that the unit and its inverse are finite.
double unit_of(double v) { return std::clamp(v, 0x1p-1000, 0x1p1000); }

// The ratio of the largest norm to the smallest that is not zero.
double spread(const std::vector<double>& norms) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const double v : norms) {
    if (v > 0.0) smallest = std::min(smallest, v);
    largest = std::max(largest, v);
  }
  return largest > 0.0 ? largest / smallest : 1.0;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// The part of A that a map is laid over, without the column of ones.
MatrixPtr without_ones(const Problem& user) {
  if (!user.has_intercept()) return user.matrix();
  const Partition own = partition(user.A());
  const MatrixPtr here = as_mapped(user.A())->inner();
  if (own.rows == &user.A()) return here;
  const MatrixPtr A = user.matrix();
  return rank_rows(here, own.first, A->rows(), {A, own.communicator});
}

bool intercept_is_free(const Problem& problem) {
  return !problem.has_bounds() ||
         (std::isinf(problem.lower().back()) && std::isinf(problem.upper().back()));
}

// The mean of each column where it is a large part of the column, otherwise 0; or all means.
std::vector<double> centre_of(const MatrixPtr& A, const ColumnSample& sample, bool all) {
  const std::vector<double> norms = sample.norms(*A);
  std::vector<double> centre = sample.means(*A);
  const double root_weight = 4.0 * std::sqrt(sample.weight_of_all());
  for (std::size_t j = 0; j < centre.size() && !all; ++j)
    if (root_weight * std::abs(centre[j]) < norms[j]) centre[j] = 0.0;
  if (!all_finite(centre) || !all_finite(norms)) return {};
  const bool any = std::any_of(centre.begin(), centre.end(), [](double v) { return v != 0.0; });
  if (!any) return {};
  // The mean that is left after centring, by rounding of the sums, is added.
  ColumnMap map = ColumnMap::plain(A->cols(), true);
  map.centre = centre;
  const std::vector<double> rest = sample.means(*mapped_columns(A, map));
  for (std::size_t j = 0; j < centre.size(); ++j)
    if (centre[j] != 0.0) centre[j] += rest[j];
  return centre;
}

// A column of ones as long as the longest centred one: a unit that is free, as its unknown takes no
// part in the least norm.
double unit_of_ones(const MatrixPtr& A, const ColumnMap& map, const ColumnSample& sample) {
  const std::vector<double> norms = sample.norms(*mapped_columns(A, map));
  double longest = 0.0;
  for (std::size_t j = 0; j + 1 < norms.size(); ++j) longest = std::max(longest, norms[j]);
  const bool usable = longest > 0.0 && std::isfinite(longest) && norms.back() > 0.0;
  return usable ? unit_of(power_of_two_near(longest / norms.back())) : 1.0;
}

std::vector<double> divided(const std::vector<double>& bound, const ColumnMap& map, double other) {
  std::vector<double> out = bound;
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = map.units[j] == 0.0 ? other : out[j] / map.units[j];
  return out;
}

}  // namespace

bool may_scale_columns(const Problem& problem, const SolveOptions& options) {
  const bool given = options.step_size || options.momentum || options.lambda_min ||
                     options.lambda_max || options.step_sequence || options.momentum_sequence;
  const MappedMatrix* mapped = as_mapped(problem.A());
  if (options.column_scaling != "auto" || options.parameters == "paper" || given ||
      problem.rows() == 0 || problem.cols() == 0)
    return false;
  // Ranks may store their rows in different ways; the decision is the same on all.
  double without = stores_rows(mapped ? *mapped->inner() : problem.A()) ? 0.0 : 1.0;
  communicator(problem.A()).sum({&without, 1});
  return without == 0.0;
}

WorkingProblem::WorkingProblem(const Problem& user, const SolveOptions& options, ThreadTeam& team,
                               FirstRead first_read, RowSums* sums)
    : user_(user),
      first_read_(first_read),
      most_kept_(uses_row_norms(find_record(options.method), options)
                     ? std::numeric_limits<Index>::max()
                     : most_kept_norms) {
  swept_.facts.sums = sums;
  double heaviest = 0.0;
  for_parts(user.weights(), [&](std::span<const double> part, Index) {
    for (const double w : part) heaviest = std::max(heaviest, w);
  });
  if (heaviest > 0.0 && std::abs(std::ilogb(heaviest)) > max_exponent)
    root_weight_ = std::ldexp(1.0, -std::ilogb(heaviest) / 2);
  while (!std::isfinite(user.ridge() * root_weight_ * root_weight_)) root_weight_ /= 2.0;
  if (root_weight_ != 1.0) change({});
  if (may_scale_columns(user, options))
    map_columns(options, team);
  else
    read(options, team);
}

void WorkingProblem::read(const SolveOptions& options, ThreadTeam& team) {
  RowSums* const sums = swept_.facts.sums;
  if (!sums && wants_equations(options) && can_sweep(problem().A()))
    swept_ = sweep(problem(), team);
  else
    gather(team, sums);
}

void WorkingProblem::gather(ThreadTeam& team, RowSums* sums) {
  swept_.facts = gather_facts(problem(), team, sums, most_kept_);
}

// With few columns AᵀA costs no more than the norms.
bool WorkingProblem::wants_equations(const SolveOptions& options) const {
  constexpr double about_a_pass = 1.25;
  const MethodRecord* record = find_record(options.method);
  if (!record || !record->by_normal_equations) return false;
  const ConstView x0 = user_.x0();
  const auto is_zero = [](double v) { return v == 0.0; };
  if (first_read_ == FirstRead::equations || std::all_of(x0.data, x0.data + x0.size(), is_zero))
    return true;
  const Costs costs(user_);
  return costs.gram() <= about_a_pass * costs.pass();
}

// After a change of the units of the columns, all of them powers of two: A is not read again where
// AᵀA is known.
void WorkingProblem::read_in_units(const std::vector<double>& before, ThreadTeam& team) {
  if (swept_.normal) {
    std::vector<double> factors = map_->units;
    for (std::size_t j = 0; j < factors.size(); ++j)
      if (factors[j] != 0.0) factors[j] /= before[j];
    return scale_columns(swept_, factors);
  }
  const double rows_read = swept_.facts.rows_read;
  gather(team);
  swept_.facts.rows_read += rows_read;
}

// Scales by a sample of rows, then the norms of all rows; where these differ, once more.
void WorkingProblem::map_columns(const SolveOptions& options, ThreadTeam& team) {
  ColumnMap map = first_map(options.seed);
  if (map.ones && intercept_is_free(user_)) take_level_off(options.seed, team);
  const bool plain =
      levels_.empty() && !map.centred() &&
      std::all_of(map.units.begin(), map.units.end(), [](double u) { return u == 1.0; });
  if (!plain) change(map);
  read(options, team);
  for (int round = 0; round < max_rounds; ++round) {
    const std::vector<double> before = map.units;
    if (!rescale(map)) break;
    change(map);
    read_in_units(before, team);
  }
}

ColumnMap WorkingProblem::first_map(std::uint64_t seed) const {
  const MatrixPtr A = without_ones(user_);
  ColumnMap map = ColumnMap::plain(A->cols(), user_.has_intercept());
  const bool centred = map.ones && intercept_is_free(user_);
  // With more unknowns than rows x is the one of least norm, in which the intercept takes no part:
  // then all columns are centred, by all rows.
  const bool least_norm = centred && keeps_units();
  const ColumnSample sample(problem(), least_norm ? user_.rows() : sampled_rows, seed);
  if (sample.empty()) return map;
  if (centred) map.centre = centre_of(A, sample, least_norm);
  if (least_norm && map.centred()) map.units.back() = unit_of_ones(A, map, sample);
  // A sample has too few entries of sparse columns: they are scaled by all rows.
  const bool dense = A->nonzeros() == A->rows() * A->cols();
  if (keeps_units() || !dense) return map;
  const bool as_stored = !map.ones && !map.centred();
  const std::vector<double> norms = sample.norms(as_stored ? *A : *mapped_columns(A, map));
  if (!all_finite(norms) || (!map.centred() && spread(norms) <= max_norm_ratio)) return map;
  const double root_weight = std::sqrt(sample.weight_of_all());
  for (std::size_t j = 0; j < norms.size(); ++j) {
    // A column that is constant in the sample is scaled by its mean.
    const bool still =
        j < map.centre.size() && !(norms[j] > 4.0 * eps * std::abs(map.centre[j]) * root_weight);
    const double size = still ? std::abs(map.centre[j]) * root_weight : norms[j];
    const double whole = with_ridge(size, static_cast<Index>(j));
    if (whole > 0.0) map.units[j] = unit_of(1.0 / power_of_two_near(whole));
  }
  return map;
}

// With a ridge the columns are those of [A; √ridge·I]: a column of zeros has a norm as well.
double WorkingProblem::with_ridge(double norm, Index j) const {
  const double ridge = problem().ridge(j);
  return ridge > 0.0 ? std::hypot(norm, std::sqrt(ridge)) : norm;
}

// With more unknowns than rows x is not unique, and the x of least norm depends on the units: they
// stay. A ridge is then solved in the row space, where it must be the same for all unknowns.
bool WorkingProblem::keeps_units() const { return user_.rows() < user_.cols(); }

// False where the norms of the columns are similar by now.
bool WorkingProblem::rescale(ColumnMap& map) const {
  if (keeps_units()) return false;
  std::vector<double> norms = swept_.facts.column_norms;
  for (double& v : norms) v /= swept_.facts.scale.a;
  bool changed = false;
  double total = static_cast<double>(user_.rows());
  if (!user_.weights().empty()) total = 0.0;
  for_parts(problem().weights(), [&](std::span<const double> part, Index) {
    for (const double w : part) total += w;
  });
  for (std::size_t j = 0; j < map.centre.size(); ++j) {
    const double rounding = 4.0 * eps * map.units[j] * std::abs(map.centre[j]) * std::sqrt(total);
    if (map.centre[j] == 0.0 || norms[j] > rounding || map.units[j] == 0.0) continue;
    map.units[j] = norms[j] = 0.0;  // it is constant, a multiple of the intercept
    changed = true;
  }
  for (std::size_t j = 0; j < norms.size(); ++j)
    if (map.units[j] != 0.0) norms[j] = with_ridge(norms[j], static_cast<Index>(j));
  const bool sampled = std::any_of(map.units.begin(), map.units.end(),
                                   [](double u) { return u != 1.0 && u != 0.0; });
  if (spread(norms) <= (sampled ? max_sampled_ratio : max_norm_ratio)) return changed;
  for (std::size_t j = 0; j < norms.size(); ++j)
    if (norms[j] > 0.0) map.units[j] = unit_of(map.units[j] / power_of_two_near(norms[j]));
  return true;
}

void WorkingProblem::change(std::optional<ColumnMap> map) {
  ProblemData data = user_.data();
  map_ = std::move(map);
  if (root_weight_ != 1.0) {
    data.weights.assign(user_.weights().begin(), user_.weights().end());
    data.shared_weights = {};
  }
  for (double& w : data.weights) w = w * root_weight_ * root_weight_;
  data.ridge = data.ridge * root_weight_ * root_weight_;
  if (map_) {
    const Index d = user_.cols(), c = user_.right_hand_sides();
    data.A = mapped_columns(without_ones(user_), *map_, user_.weights());
    data.ridge_factors.resize(to_size(d), 1.0);
    for (Index j = 0; j < d && data.ridge > 0.0; ++j)  // without a ridge a square may overflow
      data.ridge_factors[to_size(j)] *= map_->units[to_size(j)] * map_->units[to_size(j)];
    constexpr double inf = std::numeric_limits<double>::infinity();
    data.lower = divided(user_.lower(), *map_, -inf);
    data.upper = divided(user_.upper(), *map_, inf);
    if (!levels_.empty()) data.b = rhs_;
    std::vector<double> start;
    for (Index k = 0; k < c; ++k) {
      const std::vector<double> one = start_of(k);
      start.insert(start.end(), one.begin(), one.end());
    }
    data.x0 = transposed({start.data(), c, d, d});
    data.reference = {};
    removed_ = values_of_removed();
  }
  changed_.emplace(std::move(data));
}

// A start of zeros, which nobody gave, is that of b without its level.
std::vector<double> WorkingProblem::start_of(Index c) const {
  const double* const x0 = user_.x0().row(c);
  const bool none = std::all_of(x0, x0 + user_.cols(), [](double v) { return v == 0.0; });
  return none ? std::vector<double>(to_size(user_.cols()), 0.0) : from_user(x0, c);
}

// A b far from zero would make the tolerance, which is relative to it, and the rounding of its
// sums as large as its level; the intercept takes that up.
void WorkingProblem::take_level_off(std::uint64_t seed, ThreadTeam& team) {
  constexpr double noticed = 0.25;  // of the size of b
  const ColumnSample sample(problem(), sampled_rows, seed);
  if (sample.empty()) return;
  auto [means, sizes] = sample.levels(user_);
  bool any = false;
  for (std::size_t c = 0; c < means.size(); ++c) {
    const bool far = std::isfinite(sizes[c]) && std::abs(means[c]) > noticed * sizes[c];
    if (!far) means[c] = 0.0;
    any = any || far;
  }
  if (!any) return;
  levels_ = std::move(means);
  shift_rhs(team);
}

// Norms as |level|·√Σw(b/level)², which does not overflow.
void WorkingProblem::shift_rhs(ThreadTeam& team) {
  constexpr Index rows_per_job = 4096;
  const ConstView b = user_.b();
  const Partition own = partition(user_.A());
  const std::span<const double> w = problem().weights();
  const Index rows = own.rows->rows(), jobs = (rows + rows_per_job - 1) / rows_per_job;
  auto values = std::make_shared<RowNumbers>(to_size(b.size()));
  std::vector<double> sums(to_size(jobs * b.cols), 0.0);
  team.run(jobs, [&](Index job) {
    const Index first = own.first + job * rows_per_job;
    const Index last = std::min(first + rows_per_job, own.first + rows);
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < b.cols; ++c) {
        (*values)[to_size(i * b.cols + c)] = b(i, c) - level(c);
        const double share = level(c) == 0.0 ? 0.0 : b(i, c) / level(c);
        sums[to_size(job * b.cols + c)] += (w.empty() ? 1.0 : w[to_size(i)]) * share * share;
      }
  });
  rhs_ = Array(ConstView{values->data(), b.rows, b.cols, b.cols}, values);
  rhs_norms_.assign(levels_.size(), 0.0);
  for (std::size_t k = 0; k < sums.size(); ++k) rhs_norms_[k % levels_.size()] += sums[k];
  communicator(user_.A()).sum(rhs_norms_);
  for (std::size_t c = 0; c < levels_.size(); ++c)
    rhs_norms_[c] = std::abs(levels_[c]) * std::sqrt(rhs_norms_[c]);
}

// Of an unknown that any value fits as well as another: 0 with a ridge, otherwise the start, within
// the bounds.
std::vector<double> WorkingProblem::values_of_removed() const {
  const ConstView x0 = user_.x0();
  std::vector<double> out(x0.data, x0.data + x0.size());
  for (Index k = 0; k < x0.size(); ++k) {
    const Index j = k % x0.cols;
    double& v = out[to_size(k)];
    if (user_.ridge(j) > 0.0) v = 0.0;
    if (user_.has_bounds()) v = std::clamp(v, user_.lower()[to_size(j)], user_.upper()[to_size(j)]);
  }
  return out;
}

std::vector<double> WorkingProblem::to_user(ConstView x) const {
  std::vector<double> out(x.data, x.data + x.size());
  for (Index c = 0; c < x.rows && map_; ++c) {
    const Index side = c % user_.right_hand_sides();
    map_->to_user(x.row(c), removed_.data() + side * x.cols, level(side), out.data() + c * x.cols);
  }
  return out;
}

std::vector<double> WorkingProblem::from_user(const double* x, Index c) const {
  std::vector<double> out(x, x + user_.cols());
  if (map_) map_->from_user(x, level(c), out.data());
  return out;
}

double WorkingProblem::user_rhs_norm(Index c) const {
  return level(c) == 0.0 ? facts().b_norms[to_size(c)] : facts().scale.b * rhs_norms_[to_size(c)];
}

void WorkingProblem::gradient_to_user(std::span<double> g) const {
  if (!map_) return;
  for (std::size_t j = 0; j < g.size(); ++j)
    g[j] = map_->units[j] == 0.0 ? 0.0 : g[j] / map_->units[j];
  for (std::size_t j = 0; j < map_->centre.size(); ++j) g[j] += map_->centre[j] * g.back();
}

std::string WorkingProblem::description() const { return map_ ? scaling_text(*map_) : ""; }

}  // namespace polyak
