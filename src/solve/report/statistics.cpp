#include "solve/report/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "method/record.hpp"
#include "polyak/option_table.hpp"
#include "polyak/ranks.hpp"
#include "solve/report/regression_factor.hpp"
#include "solve/run/working_problem.hpp"
#include "spectrum/extremes.hpp"

namespace polyak::internal {
namespace {

constexpr double rounding = 1e-13;  // of |b|: a residual that says nothing about noise
constexpr double near = 0.01;       // standard errors that x may be away without a word

class Statistician {
 public:
  Statistician(const Problem& problem, Report& report)
      : report_(report),
        team_(static_cast<int>(report.asked.threads)),
        working_(problem, scaling_of(report.asked), team_),
        problem_(working_.problem()),
        facts_(working_.facts()),
        of_a_(std::ilogb(facts_.scale.a)),
        of_b_(std::ilogb(facts_.scale.b) - std::ilogb(working_.residual_unit())) {
    for (double w : problem.weights()) out_.observations += w;
    if (problem.weights().empty()) out_.observations = static_cast<double>(problem.rows());
  }

  void make() {
    if (problem_.cols() <= most_exact_columns) {
      const RegressionFactor factor(problem_, facts_.scale, team_);
      out_.rank = factor.rank();
      out_.centred = factor.has_constant_column();
      residuals_of(factor);
      fit();
      if (classical()) variances(factor);
    } else {
      residuals_by_reading();
      warn(
          fmt::format("only the residual sum of squares: the others need a factorisation of A, "
                      "which is made up to {} columns, and A has {}",
                      most_exact_columns, problem_.cols()));
    }
    finish();
  }

 private:
  static SolveOptions scaling_of(const SolveOptions& asked) {
    SolveOptions options;
    options.column_scaling = asked.column_scaling;
    options.seed = asked.seed;
    return options;
  }
  void warn(const std::string& sentence) { report_.warnings.push_back("statistics: " + sentence); }
  Index sides() const { return problem_.right_hand_sides(); }

  // x of one right-hand side in the working problem's variables.
  std::vector<double> working_x(Index c) const {
    std::vector<double> user(to_size(problem_.cols())), x(user.size());
    for (Index j = 0; j < problem_.cols(); ++j) user[to_size(j)] = report_.x(j, c);
    if (!working_.map()) return user;
    working_.map()->from_user(user.data(), x.data());
    return x;
  }
  // x̃ = x·scale.b/scale.a of it.
  std::vector<double> scaled_x(Index c) const {
    std::vector<double> x = working_x(c);
    for (double& v : x) v *= facts_.scale.b / facts_.scale.a;
    return x;
  }

  void residuals_of(const RegressionFactor& factor) {
    for (Index c = 0; c < sides(); ++c) {
      excess2_.push_back(factor.excess2(c, scaled_x(c)));
      rss_.push_back(excess2_.back() + factor.least_residual2(c));
    }
  }

  void residuals_by_reading() {
    const Index d = problem_.cols(), c = sides();
    std::vector<double> x, g(to_size(c * d));  // c × d
    for (Index k = 0; k < c; ++k) {
      const std::vector<double> one = working_x(k);
      x.insert(x.end(), one.begin(), one.end());
    }
    rss_.resize(to_size(c));
    Products products(problem_.A(), problem_.weights(), facts_.scale, team_);
    products.full_gradient({x.data(), c, d, d}, problem_.b(), {g.data(), c, d, d}, rss_);
  }

  // Whether s² = RSS/(n − p) estimates a variance at all.
  bool classical() {
    if (problem_.ridge() > 0.0 || problem_.has_bounds()) {
      warn(
          fmt::format("no residual variance and no standard errors: the classical formulas do "
                      "not hold with {}",
                      problem_.has_bounds() ? "bounds" : "a ridge term"));
      return false;
    }
    const double free = out_.observations - static_cast<double>(*out_.rank);
    if (free > 0.0)
      out_.degrees_of_freedom = free;
    else
      warn(
          fmt::format("no residual variance and no standard errors: {:g} observations leave "
                      "nothing beside {} unknowns to estimate them from",
                      out_.observations, *out_.rank));
    return free > 0.0;
  }

  void variances(const RegressionFactor& factor) {
    for (double rss : rss_)
      out_.residual_variance.push_back(std::scalbn(rss / *out_.degrees_of_freedom, -2 * of_b_));
    tell_distance(factor);
    if (factor.rank() == problem_.cols()) return errors(factor.inverse_diagonal(working_.map()));
    warn(
        fmt::format("no standard errors: A has rank {} of {} columns, so that single unknowns "
                    "cannot be told apart; leave out columns that depend on others",
                    factor.rank(), problem_.cols()));
  }

  void errors(const std::vector<double>& diagonal) {
    const Index d = problem_.cols(), c = sides();
    std::vector<double> errors(to_size(d * c)), t(errors.size());
    for (Index k = 0; k < c; ++k) {
      const double s = std::sqrt(rss_[to_size(k)] / *out_.degrees_of_freedom);
      for (Index j = 0; j < d; ++j) {
        const double e =
            std::scalbn(s * std::sqrt(diagonal[to_size(j)]), of_a_ - std::ilogb(facts_.scale.b));
        errors[to_size(j * c + k)] = e;
        t[to_size(j * c + k)] = report_.x(j, k) / e;
      }
    }
    out_.standard_errors = Array(std::move(errors), d, c);
    out_.t_values = Array(std::move(t), d, c);
  }

  // Noise is what is left at the least squares solution; x should be nearer to
  // it than that noise lets anybody see.
  void tell_distance(const RegressionFactor& factor) {
    double distance = 0.0;
    for (Index c = 0; c < sides(); ++c) {
      if (std::sqrt(factor.least_residual2(c)) <= rounding * facts_.b_norms[to_size(c)])
        return warn(
            "the data are fitted to rounding: residual variance and standard errors are "
            "those of rounding errors");
      const double variance = factor.least_residual2(c) / *out_.degrees_of_freedom;
      distance = std::max(distance, std::sqrt(excess2_[to_size(c)] / variance));
    }
    out_.distance = distance;
    if (distance > near)
      warn(fmt::format(
          "x is up to {:.2g} standard errors away from the least squares solution; "
          "a smaller {} or {} brings it nearer",
          distance, option_name("tol"), option_name("method", direct_record().info.name)));
  }

  double weight(Index i) const {
    return problem_.weights().empty() ? 1.0 : problem_.weights()[to_size(i)];
  }

  // Σ w (b − mean)², or about zero.
  double total2(Index c) const {
    const Partition own = partition(problem_.A());
    const Index last = own.first + own.rows->rows();
    double mean = 0.0, sum = 0.0;
    for (Index i = own.first; out_.centred && i < last; ++i)
      mean += weight(i) * (problem_.b()(i, c) * facts_.scale.b);
    communicator(problem_.A()).sum({&mean, 1});
    if (out_.centred) mean /= total_weight();
    for (Index i = own.first; i < last; ++i) {
      const double off = problem_.b()(i, c) * facts_.scale.b - mean;
      sum += weight(i) * off * off;
    }
    communicator(problem_.A()).sum({&sum, 1});
    return sum;
  }

  void fit() {
    for (Index c = 0; c < sides(); ++c) {
      const double total = total2(c), least = rounding * facts_.b_norms[to_size(c)];
      out_.r_squared.push_back(total > least * least ? std::optional(1.0 - rss_[to_size(c)] / total)
                                                     : std::nullopt);
    }
  }

  void finish() {
    for (double rss : rss_) out_.residual_sum_of_squares.push_back(std::scalbn(rss, -2 * of_b_));
    const double rows = facts_.rows_read + static_cast<double>(problem_.rows());
    report_.measured_row_products += static_cast<Index>(rows);
    report_.bytes_read += rows * problem_.A().bytes() / static_cast<double>(problem_.rows());
    report_.statistics = std::move(out_);
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
  int of_a_, of_b_;                    // exponents of the scale; that of b in the user's units
  std::vector<double> rss_, excess2_;  // of each right-hand side, in scaled units
  Statistics out_;
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

}  // namespace polyak::internal
