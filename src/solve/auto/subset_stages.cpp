#include "solve/auto/subset_stages.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "method/record.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"
#include "solve/auto/row_subset.hpp"
#include "solve/run/driver.hpp"
#include "solve/run/working_problem.hpp"

namespace polyak::internal {
namespace {

constexpr std::uint64_t to_solve = 0, to_check = 1, to_check_first = 3;  // draws of random_rows

constexpr Index rows_checked_first = 128;

Index rows_to_check(Index rows) { return std::clamp<Index>(rows / 200, 1000, 10000); }

std::vector<Index> merged(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> out;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

// The sums over all rows that were checked.
struct Checked {
  double residual2 = 0.0, b2 = 0.0, size2 = 0.0;
};

void read_row(const Problem& problem, Index i, std::vector<double>& a) {
  a.resize(to_size(problem.cols()));
  problem.A().copy_rows(i, i + 1, {a.data(), 1, problem.cols(), problem.cols()});
}

// Of the rows solved, with 1 for the column of ones, whose part is the level.
std::vector<double> column_means(const Problem& solved) {
  std::vector<double> means(to_size(solved.cols()), 0.0), a;
  for (Index i = 0; i < solved.rows(); ++i) {
    read_row(solved, i, a);
    for (std::size_t j = 0; j + 1 < means.size(); ++j)
      means[j] += a[j] / static_cast<double>(solved.rows());
  }
  means.back() = 1.0;
  return means;
}

// Of each right-hand side: the weighted mean of b_i − Σ_j (a_ij − m_j)x_j.
std::vector<double> fitted_levels(const Problem& solved, const std::vector<double>& means,
                                  ConstView x) {
  std::vector<double> levels(to_size(x.rows), 0.0), a;
  double total = 0.0;
  for (Index i = 0; i < solved.rows(); ++i) {
    read_row(solved, i, a);
    const double w = solved.weights().empty() ? 1.0 : solved.weights()[to_size(i)];
    total += w;
    for (Index c = 0; c < x.rows; ++c) {
      double rest = solved.b()(i, c);
      for (Index j = 0; j < x.cols; ++j) rest -= (a[to_size(j)] - means[to_size(j)]) * x(c, j);
      levels[to_size(c)] += w * rest;
    }
  }
  for (double& v : levels) v /= total;
  return levels;
}

// Beside an intercept the terms a_ij·x_j may be far larger than what they explain of b, and
// rounding of the intercept larger than the tolerance: rows are checked as Σ_j (a_ij − m_j)x_j +
// level, with means m of the rows solved and the level that fits them.
struct Centre {
  std::vector<double> means, levels;  // of each column, of each right-hand side; empty without

  Centre(const Problem& solved, ConstView x) {
    if (!solved.has_intercept()) return;
    means = column_means(solved);
    levels = fitted_levels(solved, means, x);
  }

  void shift(std::vector<double>& row) const {
    for (std::size_t j = 0; j < means.size(); ++j) row[j] -= means[j];
  }
  double level(Index c) const { return levels.empty() ? 0.0 : levels[to_size(c)]; }
};

// Row by row: a property of m random rows holds for all but a small share of the others. Rows and
// columns may have different units.
void check(const Problem& rows, ConstView x, const Centre& centre, double tol, Checked& sums,
           SubsetTrial& trial) {
  const Index d = rows.cols();
  std::vector<double> a;
  auto& [residual2, b2, size2] = sums;
  for (Index i = 0; i < rows.rows(); ++i) {
    read_row(rows, i, a);
    centre.shift(a);
    bool fits = true;
    for (Index c = 0; c < x.rows; ++c) {
      double r = centre.level(c) - rows.b()(i, c), size = std::abs(centre.level(c));
      for (Index j = 0; j < d; ++j) {
        const double term = a[to_size(j)] * x(c, j);
        r += term;
        size += std::abs(term);
      }
      fits = fits && std::abs(r) <= tol * (size + std::abs(rows.b()(i, c)));
      residual2 += r * r;
      size2 += size * size;
      b2 += rows.b()(i, c) * rows.b()(i, c);
    }
    trial.rows_failed += !fits;
  }
  trial.rows_checked += rows.rows();
  if (b2 == 0.0) return;
  trial.facts.relative_residual = std::sqrt(residual2 / b2);
  trial.rounding = static_cast<double>(d) * 0x1p-52 * std::sqrt(size2 / b2);
}

// Whether all columns that take part in a dependence have enough entries in these rows.
bool have_entries(const Problem& part, const std::vector<Dependence>& dependent) {
  constexpr Index min_entries = 10;
  const Index d = part.cols();
  std::vector<Index> entries(to_size(d), 0);
  std::vector<double> row;
  for (Index i = 0; i < part.rows(); ++i) {
    read_row(part, i, row);
    for (Index j = 0; j < d; ++j) entries[to_size(j)] += row[to_size(j)] != 0.0;
  }
  return std::all_of(dependent.begin(), dependent.end(), [&](const Dependence& one) {
    return entries[to_size(one.column)] >= min_entries &&
           std::all_of(one.on.begin(), one.on.end(),
                       [&](Index j) { return entries[to_size(j)] >= min_entries; });
  });
}

bool solve_by_qr(const Problem& part, const SolveOptions& options, ThreadTeam& team,
                 SubsetTrial& trial) {
  SolveOptions scaling;
  scaling.column_scaling = options.column_scaling;
  const WorkingProblem working(part, scaling, team);
  const Problem& rows = working.problem();
  const auto fit =
      qr_least_squares(rows.A(), rows.b(), rows.weights(), {}, team, working.facts().scale);
  if (!fit.ok) return false;
  const Index c = part.right_hand_sides(), d = part.cols();
  const std::vector<double> x = working.to_user({fit.x.data(), c, d, d});
  trial.x = transposed({x.data(), c, d, d});
  SubsetFacts& facts = trial.facts;
  facts.rank = fit.rank;
  facts.full_rank = fit.rank == d;
  facts.dependent = !facts.full_rank && have_entries(part, fit.dependences.columns);
  if (fit.rank > 0)
    facts.condition = fit.singular_values.front() / fit.singular_values[to_size(fit.rank - 1)];
  return true;
}

// Dependent columns are not determined here: a method on all rows finds them.
bool solve_by_gram(const Problem& part, const SolveOptions& options, SubsetTrial& trial) {
  SolveOptions normal;
  normal.method = normal_record().info.name;
  normal.tol = options.tol;
  normal.column_scaling = options.column_scaling;
  normal.threads = options.threads;
  normal.max_iterations = 1;
  normal.only_resolved = true;
  const Report report = Driver(part, normal).run(nullptr);
  if (report.iterations == 0) return false;  // the start solves them: nothing was factored
  trial.x = report.x;
  constexpr double mean_excess = 1.25;  // the report has a bound, 1 to 1.5 times the condition
  SubsetFacts& facts = trial.facts;
  facts.rank = report.used.rank.value_or(0);
  facts.condition = std::max(1.0, report.used.condition.value_or(INFINITY) / mean_excess);
  facts.unresolved = !std::isfinite(facts.condition);
  facts.full_rank = !facts.unresolved && facts.rank == part.cols();
  return true;
}

}  // namespace

double SubsetTrial::failing_share() const {
  return std::min(1.0, std::log(1.0 / doubt) / static_cast<double>(rows_checked));
}

std::optional<SubsetTrial> try_subset(const Problem& problem, Index count,
                                      const SolveOptions& options, ThreadTeam& team, bool by_gram) {
  const auto solved = random_rows_of(problem, count, options.seed, to_solve);
  const auto few =
      random_rows_of(problem, rows_checked_first, options.seed, to_check_first, solved);
  if (std::ssize(solved) < count || few.empty()) return std::nullopt;
  const Problem part = subset_of(problem, solved, team);
  SubsetTrial trial;
  try {
    if (!(by_gram && solve_by_gram(part, options, trial)) &&
        !solve_by_qr(part, options, team, trial))
      return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // the next method reads all of A and reports the row
  }
  trial.facts.rows_solved = std::ssize(solved);
  trial.rows_read = merged(solved, few);
  // A few rows first: one that does not fit shows that the data are inconsistent.
  Checked sums;
  const Array x = transposed(trial.x.view());
  const Centre centre(part, x.view());
  check(subset_of(problem, few, team), x.view(), centre, options.tol, sums, trial);
  if (trial.rows_failed > 0) return trial;
  const auto others = random_rows_of(problem, rows_to_check(problem.rows()) - std::ssize(few),
                                     options.seed, to_check, trial.rows_read);
  if (!others.empty())
    check(subset_of(problem, others, team), x.view(), centre, options.tol, sums, trial);
  trial.rows_read = merged(trial.rows_read, others);
  return trial;
}

// For consistent rows r lies in the range of A, so that ‖Aᵀr‖ ≥ σ_min‖r‖, which is at least
// 1/(c√d) of ‖A‖_F‖r‖ at a condition of c. Below that of c = 1000 the rest of r is noise.
SubsetWatch::SubsetWatch(Runs& runs, Index cols)
    : runs_(runs), noise_gradient_(1e-3 / std::sqrt(static_cast<double>(cols))) {}

void SubsetWatch::measured(const Measurement& m) {
  inconsistent_ = m.iteration > 0 && m.relative_gradient && *m.relative_gradient <= noise_gradient_;
}

void SubsetWatch::explain(Report& report) const {
  if (!ended_ || report.status != Status::interrupted) return;
  report.status = Status::stagnated;
  report.stopped_by = StoppedBy::inconsistent;
  report.reason = "these rows contradict each other";
}

std::optional<double> expected_iterations(const Report& subset, double tol) {
  if (subset.history.size() < 2) return std::nullopt;
  const double first = subset.history.front().gradient_norm;
  const double last = subset.history.back().gradient_norm;
  const double fall = std::log(first / last);
  if (!(fall > 0.0)) return std::numeric_limits<double>::infinity();
  return std::max(1.0, static_cast<double>(subset.iterations) * std::log(1.0 / tol) / fall);
}

}  // namespace polyak::internal
