#include "solve/subset_trial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "polyak/error.hpp"
#include "problem/least_squares.hpp"
#include "solve/driver.hpp"
#include "solve/row_subset.hpp"
#include "solve/working_problem.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t to_solve = 0, to_check = 1;  // draws of row_subset

Index rows_to_check(Index rows) { return std::clamp<Index>(rows / 200, 1000, 10000); }

// Row by row, so that what holds for all of m rows drawn at random holds for
// all but a few of the others; and no unit is shared between rows, or columns.
void check(const Problem& rows, ConstView x, double tol, SubsetTrial& trial) {
  const Index d = rows.cols();
  std::vector<double> a(to_size(d));
  double residual2 = 0.0, b2 = 0.0, size2 = 0.0;
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.A().copy_rows(i, i + 1, {a.data(), 1, d, d});
    bool fits = true;
    for (Index c = 0; c < x.rows; ++c) {
      double r = -rows.b()(i, c), size = 0.0;
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
  trial.rows_checked = rows.rows();
  if (b2 == 0.0) return;
  trial.relative_residual = std::sqrt(residual2 / b2);
  trial.rounding = static_cast<double>(d) * 0x1p-52 * std::sqrt(size2 / b2);
}

// Whether the columns that depend on others, and those others, all occur often.
bool occur_often(const Problem& part, const std::vector<Dependence>& dependent) {
  constexpr Index often = 10;
  const Index d = part.cols();
  std::vector<Index> entries(to_size(d), 0);
  std::vector<double> row(to_size(d));
  for (Index i = 0; i < part.rows(); ++i) {
    part.A().copy_rows(i, i + 1, {row.data(), 1, d, d});
    for (Index j = 0; j < d; ++j) entries[to_size(j)] += row[to_size(j)] != 0.0;
  }
  return std::all_of(dependent.begin(), dependent.end(), [&](const Dependence& one) {
    return entries[to_size(one.column)] >= often &&
           std::all_of(one.on.begin(), one.on.end(),
                       [&](Index j) { return entries[to_size(j)] >= often; });
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
  trial.rank = fit.rank;
  trial.full_rank = fit.rank == d;
  trial.dependent = !trial.full_rank && occur_often(part, fit.dependences.columns);
  if (fit.rank > 0)
    trial.condition = fit.singular_values.front() / fit.singular_values[to_size(fit.rank - 1)];
  return true;
}

// Columns that depend on each other are left to those who see all rows.
bool solve_by_gram(const Problem& part, const SolveOptions& options, SubsetTrial& trial) {
  SolveOptions normal;
  normal.method = "normal";
  normal.tol = options.tol;
  normal.column_scaling = options.column_scaling;
  normal.threads = options.threads;
  normal.max_iterations = 1;
  normal.only_resolved = true;
  const Report report = Driver(part, normal).run(nullptr);
  if (report.iterations == 0) return false;  // its start solves them, and nothing was factored
  trial.x = report.x;
  trial.rank = report.used.rank.value_or(0);
  constexpr double middle = 1.25;  // it is told as a bound, 1 to 1.5 times the condition
  trial.condition = report.used.condition.value_or(INFINITY) / middle;
  trial.unresolved = !std::isfinite(trial.condition);
  trial.full_rank = !trial.unresolved && trial.rank == part.cols();
  return true;
}

}  // namespace

double SubsetTrial::failing_share() const {
  return std::min(1.0, std::log(1.0 / doubt) / static_cast<double>(rows_checked));
}

std::optional<SubsetTrial> try_subset(const Problem& problem, Index count,
                                      const SolveOptions& options, ThreadTeam& team, bool by_gram) {
  const auto solved = random_rows_of(problem, count, options.seed, to_solve);
  const auto checked = random_rows_of(problem, rows_to_check(problem.rows()), options.seed,
                                      to_check, solved);
  if (std::ssize(solved) < count || checked.empty()) return std::nullopt;
  const Problem part = subset_of(problem, solved, team);
  SubsetTrial trial;
  try {
    if (!(by_gram && solve_by_gram(part, options, trial)) && !solve_by_qr(part, options, team, trial))
      return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // whoever reads all of A will name the place
  }
  trial.rows_solved = std::ssize(solved);
  std::merge(solved.begin(), solved.end(), checked.begin(), checked.end(),
             std::back_inserter(trial.rows_read));
  check(subset_of(problem, checked, team), transposed(trial.x.view()).view(), options.tol, trial);
  return trial;
}

}  // namespace polyak
