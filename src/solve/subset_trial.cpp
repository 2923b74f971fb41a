#include "solve/subset_trial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "linalg/norm.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"
#include "solve/row_subset.hpp"
#include "spectrum/facts.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t to_solve = 0, to_check = 1;  // draws of row_subset

Index rows_to_check(Index rows) { return std::clamp<Index>(rows / 200, 1000, 10000); }

// Row by row, so that what holds for all of m rows drawn at random holds for
// all but a few of the others; and no unit is shared between rows.
void check(const Problem& rows, ConstView x, double tol, SubsetTrial& trial) {
  const Index d = rows.cols();
  std::vector<double> a(to_size(d));
  double residual2 = 0.0, b2 = 0.0, size2 = 0.0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!rows.weights().empty() && rows.weights()[to_size(i)] == 0.0) continue;
    rows.A().copy_rows(i, i + 1, {a.data(), 1, d, d});
    const double size = norm(a.data(), d);
    bool fits = true;
    for (Index c = 0; c < x.rows; ++c) {
      double r = -rows.b()(i, c);
      for (Index j = 0; j < d; ++j) r += a[to_size(j)] * x(c, j);
      fits = fits && std::abs(r) <= tol * (size * norm(x.row(c), d) + std::abs(rows.b()(i, c)));
      residual2 += r * r;
      size2 += size * size * norm(x.row(c), d) * norm(x.row(c), d);
      b2 += rows.b()(i, c) * rows.b()(i, c);
    }
    trial.rows_failed += !fits;
  }
  trial.rows_checked = rows.rows();
  if (b2 == 0.0) return;
  trial.relative_residual = std::sqrt(residual2 / b2);
  trial.rounding = static_cast<double>(d) * 0x1p-52 * std::sqrt(size2 / b2);
}

}  // namespace

double SubsetTrial::failing_share() const {
  return std::min(1.0, std::log(1.0 / doubt) / static_cast<double>(rows_checked));
}

std::optional<SubsetTrial> try_subset(const Problem& problem, Index count, double tol,
                                      std::uint64_t seed, ThreadTeam& team) {
  const auto solved = random_rows(problem.rows(), count, seed, to_solve);
  const auto checked =
      random_rows(problem.rows(), rows_to_check(problem.rows()), seed, to_check, solved);
  const Problem part = subset_of(problem, solved, team);
  Scale scale;
  try {
    scale = gather_facts(part, team).scale;
  } catch (const Error&) {
    return std::nullopt;  // whoever reads all of A will name the place
  }
  auto fit = qr_least_squares(part.A(), part.b(), part.weights(), 0.0, team, scale);
  if (!fit.ok) return std::nullopt;
  SubsetTrial trial;
  const Index c = problem.right_hand_sides(), d = problem.cols();
  const ConstView x{fit.x.data(), c, d, d};
  trial.x = transposed(x);
  trial.rank = fit.rank;
  if (fit.rank > 0)
    trial.condition = fit.singular_values.front() / fit.singular_values[to_size(fit.rank - 1)];
  trial.rows_solved = std::ssize(solved);
  std::merge(solved.begin(), solved.end(), checked.begin(), checked.end(),
             std::back_inserter(trial.rows_read));
  check(subset_of(problem, checked, team), x, tol, trial);
  return trial;
}

}  // namespace polyak
