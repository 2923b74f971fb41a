#include <fmt/format.h>

#include <cmath>

#include "core/clock.hpp"
#include "polyak/plan.hpp"
#include "sampling/law.hpp"
#include "solve/plan/basis.hpp"
#include "solve/plan/plan_table.hpp"
#include "solve/run/working_problem.hpp"
#include "spectrum/facts.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

Array zeros(Index n) { return Array(std::vector<double>(to_size(n), 0.0), n, 1); }

ProblemData parts(const MatrixPtr& A, const Array& b) {
  ProblemData data;
  data.A = A;
  data.b = b.empty() ? zeros(A->rows()) : b;
  return data;
}

class Reporter {
 public:
  Reporter(const MatrixPtr& A, const Array& b, const SolveOptions& options)
      : options_(options),
        user_(parts(A, b)),
        has_b_(!b.empty()),
        team_(static_cast<int>(options.threads)),
        working_(user_, options, team_),
        problem_(working_.problem()),
        facts_(working_.facts()),
        products_(problem_.A(), {}, facts_.scale, team_) {}

  PlanReport make() {
    report_facts();
    if (facts_.frobenius2 == 0.0) {
      out_.remarks.push_back("A is zero: every x is a solution, and there is nothing to plan.");
      return std::move(out_);
    }
    out_.automatic =
        has_b_ ? automatic_plan(user_, options_) : automatic_plan_without_b(user_, options_);
    report_spectrum();
    fit_b();
    make_table();
    return std::move(out_);
  }

 private:
  double unscaled(double v) const { return v / facts_.scale.a / facts_.scale.a; }

  void report_facts() {
    const RowMatrix& A = user_.A();
    out_.rows = A.rows();
    out_.cols = A.cols();
    out_.nnz = A.nonzeros();
    out_.matrix = A.kind();
    out_.zero_rows = facts_.zero_rows;
    out_.zero_columns = std::ssize(facts_.zero_columns);
    out_.duplicate_rows = count_duplicate_rows(A, team_);
    out_.frobenius2 = unscaled(facts_.frobenius2);
    out_.tol = options_.tol;
    out_.sampling = options_.sampling;
  }

  void report_spectrum() {
    sampler_ = std::make_unique<const Sampler>(
        law_weights(law_named(options_.sampling), facts_.norms2, {}));
    extremes_ = extremes(problem_, facts_, team_, options_.seed, spectrum_named(options_.spectrum));
    out_.eta = sampling_eta(*sampler_, facts_.norms2, facts_.frobenius2);
    forecast_.emplace(problem_, facts_, extremes_, *sampler_, out_.eta * facts_.frobenius2, Range{},
                      team_, options_.seed);
    out_.lambda_min = unscaled(extremes_.lambda_min);
    out_.lambda_max = unscaled(extremes_.lambda_max);
    out_.kappa = extremes_.unresolved > 0 ? 1.0 / std::pow(extremes_.smallest_singular, 2)
                                          : extremes_.lambda_max / extremes_.lambda_min;
    out_.lambda_min_range = range_in_units(extremes_.lambda_min_range, facts_.scale);
    out_.lambda_max_range = range_in_units(extremes_.lambda_max_range, facts_.scale);
    if (extremes_.knows_rank()) out_.rank = extremes_.rank;
    if (extremes_.rank_threshold > 0.0) out_.rank_threshold = extremes_.rank_threshold;
    for (const Dependence& one : extremes_.dependent)
      out_.dependent_columns.push_back({one.column, one.on});
    out_.kappa_bar = facts_.frobenius2 / extremes_.lambda_min / static_cast<double>(out_.cols);
    out_.spectrum_source = extremes_.source;
    out_.eta_effective =
        law_named(options_.sampling) == Sampling::row_norm
            ? 1.0
            : planned_eta(problem_, facts_, extremes_, *sampler_, options_.seed, team_);
    remark_on_spectrum();
  }

  void remark_on_spectrum() {
    if (!working_.description().empty())
      out_.remarks.push_back("Columns differ in size and solve scales them (" +
                             working_.description() +
                             "): spectrum, steps and rates are those of the scaled columns. " +
                             option_name("step-size") +
                             " and the paper's parameters belong to columns as they are; plan " +
                             option_name("column-scaling", "none") + " shows those.");
    if (!extremes_.exact)
      out_.remarks.push_back(
          extremes_.sketch_rows > 0
              ? "The spectrum is estimated: parameters rest on the ends of its error bars, rates "
                "are "
                "estimates."
              : "The spectrum is estimated: stability is certified with probability 0.999, rates "
                "are estimates.");
    if (extremes_.unresolved > 0)
      out_.remarks.push_back(fmt::format(
          "{} of {} singular values are not zero but too small for A'A to resolve (the smallest is "
          "{:.1e} of the largest): lambda_min is that of the others. direct resolves them.",
          extremes_.unresolved, extremes_.rank, extremes_.smallest_singular));
    if (extremes_.knows_rank() && extremes_.rank < out_.cols)
      out_.remarks.push_back(fmt::format(
          "A has rank {} of {}: lambda_min is its smallest nonzero eigenvalue and the solution of "
          "least norm is meant. A ridge term, lsqr and direct are the alternatives.",
          extremes_.rank, out_.cols));
    if (out_.kappa > 1e10)
      out_.remarks.push_back(
          "A'A is nearly singular: the strongly convex theory says little here; direct and lsqr "
          "do not depend on it.");
  }

  // By a fit of b, or by the rows that auto looks at first.
  void fit_b() {
    const auto& look = out_.automatic->look;
    fit_ = has_b_ ? fit_of_b(problem_, facts_, extremes_, forecast_->eigenvalues(), options_,
                             products_)
                  : fit_without_b(problem_.cols(), options_.tol);
    out_.relative_residual = fit_.relative_residual;
    const bool by_look = has_b_ && look && look->relative_residual && !fit_.known;
    if (by_look) fit_.consistent = look->consistent;
    known_consistent_ = !has_b_ || ((fit_.known || by_look) && fit_.consistent);
    if (has_b_ && !fit_.consistent)
      remark_inconsistent(fit_.known ? fit_.relative_residual : look->relative_residual);
    if (has_b_ && fit_.consistent && !known_consistent_)
      out_.remarks.push_back(
          "It is not known whether the data are consistent: where they are not, methods that "
          "sample level off before the tolerance.");
  }

  void remark_inconsistent(std::optional<double> residual) {
    out_.remarks.push_back(fmt::format(
        "The data are inconsistent ({}): sampled methods with fixed parameters level off at their "
        "convergence horizon before a tolerance of {:g}.",
        residual ? fmt::format("the best residual is about {:.2g} of |b|", *residual)
                 : "by a look at some rows",
        options_.tol));
  }

  void make_table() {
    PlanTable table = make_plan_table({.options = options_,
                                       .user = user_,
                                       .problem = problem_,
                                       .facts = facts_,
                                       .team = team_,
                                       .sampler = *sampler_,
                                       .extremes = extremes_,
                                       .forecast = *forecast_,
                                       .fit = fit_,
                                       .kappa = out_.kappa,
                                       .eta = out_.eta,
                                       .has_b = has_b_,
                                       .known_consistent = known_consistent_,
                                       .columns_scaled = !working_.description().empty()});
    out_.table = std::move(table.rows);
    out_.recommended = table.recommended;
  }

  SolveOptions options_;
  Problem user_;
  bool has_b_;
  ThreadTeam team_;
  WorkingProblem working_;
  const Problem& problem_;  // with scaled columns
  const MatrixFacts& facts_;
  Products products_;
  std::unique_ptr<const Sampler> sampler_;
  Extremes extremes_;
  std::optional<Forecast> forecast_;
  PlanFit fit_;
  bool known_consistent_ = true;
  PlanReport out_;
};

}  // namespace

PlanReport make_plan_report(const MatrixPtr& A, const Array& b, const SolveOptions& options) {
  const double start = now_s();
  PlanReport out = Reporter(A, b, options).make();
  out.seconds = now_s() - start;
  return out;
}

}  // namespace polyak
