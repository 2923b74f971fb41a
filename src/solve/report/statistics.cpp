#include "solve/report/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "polyak/ranks.hpp"
#include "solve/report/regression.hpp"
#include "solve/run/working_problem.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

class Statistician {
 public:
  Statistician(const Problem& problem, Report& report)
      : report_(report),
        team_(static_cast<int>(report.asked.threads)),
        working_(problem, scaling_of(report.asked), team_),
        problem_(working_.problem()),
        facts_(working_.facts()),
        of_residual_(std::ilogb(facts_.scale.b) - std::ilogb(working_.residual_unit())) {
    for (double w : problem.weights()) observations_ += w;
    if (problem.weights().empty()) observations_ = static_cast<double>(problem.rows());
  }

  void make() {
    if (problem_.cols() <= most_exact_columns) {
      const RegressionFactor factor(problem_, facts_.scale, team_);
      report_.statistics = regression_statistics(factor, fit(factor), report_);
    } else {
      report_.statistics = by_reading();
    }
    const double rows = facts_.rows_read + static_cast<double>(problem_.rows());
    report_.measured_row_products += static_cast<Index>(rows);
    report_.bytes_read += rows * problem_.A().bytes() / static_cast<double>(problem_.rows());
  }

 private:
  static SolveOptions scaling_of(const SolveOptions& asked) {
    SolveOptions options;
    options.column_scaling = asked.column_scaling;
    options.seed = asked.seed;
    return options;
  }
  Index sides() const { return problem_.right_hand_sides(); }

  // x of one right-hand side in the working problem's variables.
  std::vector<double> working_x(Index c) const {
    std::vector<double> user(to_size(problem_.cols()));
    for (Index j = 0; j < problem_.cols(); ++j) user[to_size(j)] = report_.x(j, c);
    return working_.from_user(user.data(), c);
  }

  RegressionFit fit(const RegressionFactor& factor) const {
    RegressionFit out{.observations = observations_,
                      .centred = factor.has_constant_column(),
                      .ridge = problem_.ridge() > 0.0,
                      .bounds = problem_.has_bounds()};
    for (Index c = 0; c < sides(); ++c) {
      std::vector<double>& x = out.x.emplace_back(working_x(c));
      for (double& v : x) v *= facts_.scale.b / facts_.scale.a;
      out.total2.push_back(total2(c, out.centred));
      out.b_norms.push_back(working_.user_rhs_norm(c));
    }
    out.map = working_.map();
    out.of_a = std::ilogb(facts_.scale.a);
    out.of_b = std::ilogb(facts_.scale.b);
    out.of_residual = of_residual_;
    return out;
  }

  // The residuals alone.
  Statistics by_reading() {
    const Index d = problem_.cols(), c = sides();
    std::vector<double> x, g(to_size(c * d)), rss(to_size(c));  // x and g: c × d
    for (Index k = 0; k < c; ++k) {
      const std::vector<double> one = working_x(k);
      x.insert(x.end(), one.begin(), one.end());
    }
    Products products(problem_.A(), problem_.weights(), facts_.scale, team_);
    products.full_gradient({x.data(), c, d, d}, problem_.b(), {g.data(), c, d, d}, rss);
    warn_of_statistics(
        fmt::format("only the residual sum of squares: the others need a factorisation of A, "
                    "which is made up to {} columns, and A has {}",
                    most_exact_columns, problem_.cols()),
        report_);
    Statistics out;
    out.observations = observations_;
    for (double one : rss)
      out.residual_sum_of_squares.push_back(std::scalbn(one, -2 * of_residual_));
    return out;
  }

  double weight(Index i) const {
    return problem_.weights().empty() ? 1.0 : problem_.weights()[to_size(i)];
  }

  // Σ w (b − mean)², or about zero.
  double total2(Index c, bool centred) const {
    const Partition own = partition(problem_.A());
    const Index last = own.first + own.rows->rows();
    double mean = 0.0, sum = 0.0;
    for (Index i = own.first; centred && i < last; ++i)
      mean += weight(i) * (problem_.b()(i, c) * facts_.scale.b);
    communicator(problem_.A()).sum({&mean, 1});
    if (centred) mean /= total_weight();
    for (Index i = own.first; i < last; ++i) {
      const double off = problem_.b()(i, c) * facts_.scale.b - mean;
      sum += weight(i) * off * off;
    }
    communicator(problem_.A()).sum({&sum, 1});
    return sum;
  }

  double total_weight() const {
    const auto& w = problem_.weights();
    return w.empty() ? static_cast<double>(problem_.rows())
                     : std::accumulate(w.begin(), w.end(), 0.0);
  }

  Report& report_;
  ThreadTeam team_;
  WorkingProblem working_;
  const Problem& problem_;  // in its variables
  const MatrixFacts& facts_;
  int of_residual_;  // exponent of the scale of b in the user's units
  double observations_ = 0.0;
};

}  // namespace

Report with_statistics(const Problem& problem, Report report) {
  if (!report.asked.statistics) return report;
  const bool empty = problem.rows() == 0 || problem.cols() == 0;
  if (empty || report.status == Status::interrupted) {
    report.warnings.push_back(empty ? "statistics: none, because A is empty"
                                    : "statistics: none, because the run was interrupted");
    return report;
  }
  double seconds = 0.0;
  timed(seconds, [&] { Statistician(problem, report).make(); });
  report.seconds.measure += seconds;
  report.seconds.total += seconds;
  return report;
}

}  // namespace polyak
