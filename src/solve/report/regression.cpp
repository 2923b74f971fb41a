#include "solve/report/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "method/record.hpp"
#include "polyak/option_table.hpp"
#include "solve/report/distributions.hpp"

namespace polyak {
namespace {

constexpr double rounding = 1e-13;  // of |b|: a residual that says nothing about noise
constexpr double near = 0.01;       // standard errors that x may be away without a word

class Regression {
 public:
  Regression(const RegressionFactor& factor, const RegressionFit& fit, Report& report)
      : factor_(factor), fit_(fit), report_(report) {}

  Statistics make() {
    out_.observations = fit_.observations;
    out_.rank = factor_.rank();
    out_.centred = fit_.centred;
    for (Index c = 0; c < sides(); ++c) {
      excess2_.push_back(factor_.excess2(c, fit_.x[to_size(c)]));
      rss_.push_back(excess2_.back() + factor_.least_residual2(c));
    }
    share_explained();
    if (classical()) variances();
    if (out_.degrees_of_freedom) quality();
    for (double rss : rss_)
      out_.residual_sum_of_squares.push_back(std::scalbn(rss, -2 * fit_.of_residual));
    return std::move(out_);
  }

 private:
  Index sides() const { return std::ssize(fit_.x); }
  Index cols() const { return report_.x.rows(); }
  void warn(const std::string& sentence) { warn_of_statistics(sentence, report_); }

  void share_explained() {
    for (Index c = 0; c < sides(); ++c) {
      const double total = fit_.total2[to_size(c)], least = rounding * fit_.b_norms[to_size(c)];
      out_.r_squared.push_back(total > least * least ? std::optional(1.0 - rss_[to_size(c)] / total)
                                                     : std::nullopt);
    }
  }

  // Whether s² = RSS/(n − p) estimates a variance at all.
  bool classical() {
    if (fit_.ridge || fit_.bounds) {
      warn(
          fmt::format("no residual variance and no standard errors: the classical formulas do "
                      "not hold with {}",
                      fit_.bounds ? "bounds" : "a ridge term"));
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

  void variances() {
    for (double rss : rss_)
      out_.residual_variance.push_back(
          std::scalbn(rss / *out_.degrees_of_freedom, -2 * fit_.of_residual));
    tell_distance();
    if (factor_.rank() == cols()) return errors(factor_.inverse_diagonal(fit_.map));
    warn(
        fmt::format("no standard errors: A has rank {} of {} columns, so that single unknowns "
                    "cannot be told apart; leave out columns that depend on others",
                    factor_.rank(), cols()));
  }

  // Of the whole fit: absent where b does not vary, or where nothing is left beside the constant.
  void quality() {
    const double n = out_.observations, p = static_cast<double>(*out_.rank);
    const double free = *out_.degrees_of_freedom, k = fit_.centred ? 1.0 : 0.0;
    for (Index c = 0; c < sides(); ++c) {
      const double rss = rss_[to_size(c)], explained = fit_.total2[to_size(c)] - rss;
      const std::optional<double> r2 = out_.r_squared[to_size(c)];
      const double least = rounding * fit_.b_norms[to_size(c)];
      const bool noisy = rss > least * least;
      std::optional<double> adjusted, f, tail, aic, bic;
      if (r2) adjusted = 1.0 - (1.0 - *r2) * (n - k) / free;
      if (r2 && noisy && p > k) {
        f = std::max(0.0, explained / (p - k) / (rss / free));
        tail = fisher_upper(*f, p - k, free);
      }
      if (noisy) {
        const double variance = std::log(rss / n) - 2.0 * fit_.of_residual * std::log(2.0);
        const double minus_two_log = n * (std::log(2.0 * M_PI) + variance + 1.0);
        aic = minus_two_log + 2.0 * p;
        bic = minus_two_log + p * std::log(n);
      }
      out_.adjusted_r_squared.push_back(adjusted);
      out_.f_statistic.push_back(f);
      out_.f_p_value.push_back(tail);
      out_.aic.push_back(aic);
      out_.bic.push_back(bic);
    }
  }

  void errors(const std::vector<double>& diagonal) {
    const Index d = cols(), c = sides();
    std::vector<double> errors(to_size(d * c)), t(errors.size()), tails(errors.size());
    for (Index k = 0; k < c; ++k) {
      const double s = std::sqrt(rss_[to_size(k)] / *out_.degrees_of_freedom);
      for (Index j = 0; j < d; ++j) {
        const double e = std::scalbn(s * std::sqrt(diagonal[to_size(j)]), fit_.of_a - fit_.of_b);
        errors[to_size(j * c + k)] = e;
        t[to_size(j * c + k)] = report_.x(j, k) / e;
        tails[to_size(j * c + k)] =
            student_two_sided(report_.x(j, k) / e, *out_.degrees_of_freedom);
      }
    }
    out_.standard_errors = Array(std::move(errors), d, c);
    out_.t_values = Array(std::move(t), d, c);
    out_.p_values = Array(std::move(tails), d, c);
  }

  // Noise is what is left at the least squares solution; x should be nearer to
  // it than that noise lets anybody see.
  void tell_distance() {
    double distance = 0.0;
    for (Index c = 0; c < sides(); ++c) {
      if (std::sqrt(factor_.least_residual2(c)) <= rounding * fit_.b_norms[to_size(c)])
        return warn(
            "the data are fitted to rounding: residual variance and standard errors are "
            "those of rounding errors");
      const double variance = factor_.least_residual2(c) / *out_.degrees_of_freedom;
      distance = std::max(distance, std::sqrt(excess2_[to_size(c)] / variance));
    }
    out_.distance = distance;
    if (distance > near)
      warn(fmt::format(
          "x is up to {:.2g} standard errors away from the least squares solution; "
          "a smaller {} or {} brings it nearer",
          distance, option_name("tol"), option_name("method", direct_record().info.name)));
  }

  const RegressionFactor& factor_;
  const RegressionFit& fit_;
  Report& report_;
  std::vector<double> rss_, excess2_;  // of each right-hand side, in the units of the factor
  Statistics out_;
};

}  // namespace

Statistics regression_statistics(const RegressionFactor& factor, const RegressionFit& fit,
                                 Report& report) {
  return Regression(factor, fit, report).make();
}

void warn_of_statistics(const std::string& sentence, Report& report) {
  report.warnings.push_back("statistics: " + sentence);
}

}  // namespace polyak
