#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/tsqr.hpp"
#include "polyak/plan.hpp"
#include "sampling/law.hpp"
#include "solve/costs.hpp"
#include "solve/engine.hpp"
#include "solve/forecast.hpp"
#include "solve/plan_fit.hpp"
#include "solve/plan_spectrum.hpp"
#include "solve/plan_steps.hpp"
#include "solve/working_problem.hpp"
#include "spectrum/facts.hpp"
#include "theory/parameters.hpp"

namespace polyak {
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
    tell_facts();
    if (facts_.frobenius2 == 0.0) {
      out_.remarks.push_back("A is zero: every x is a solution, and there is nothing to plan.");
      return std::move(out_);
    }
    out_.automatic =
        has_b_ ? automatic_plan(user_, options_) : automatic_plan_without_b(user_, options_);
    tell_spectrum();
    look_at_b();
    add_deterministic();
    add_one_row_methods();
    add_minibatches();
    recommend();
    return std::move(out_);
  }

 private:
  double unscaled(double v) const { return v / facts_.scale.a / facts_.scale.a; }

  void tell_facts() {
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

  void tell_spectrum() {
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
    out_.rank = extremes_.rank;
    out_.kappa_bar = facts_.frobenius2 / extremes_.lambda_min / static_cast<double>(out_.cols);
    out_.spectrum_source = extremes_.source;
    out_.eta_effective =
        law_named(options_.sampling) == Sampling::row_norm
            ? 1.0
            : planned_eta(problem_, facts_, extremes_, *sampler_, options_.seed, team_);
    remark_on_spectrum();
  }

  void remark_on_spectrum() {
    if (!working_.told().empty())
      out_.remarks.push_back(
          "Columns differ in size and solve scales them (" + working_.told() +
          "): spectrum, steps and rates are those of the scaled columns. --step-size and the "
          "paper's "
          "parameters go with columns as they are; plan --column-scaling none tells of these.");
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

  // What b tells, or else the look at some rows; without either nobody knows.
  void look_at_b() {
    const auto& look = out_.automatic->look;
    fit_ = has_b_ ? fit_of_b(problem_, facts_, extremes_, forecast_->eigenvalues(), options_,
                             products_)
                  : fit_without_b(problem_.cols(), options_.tol);
    out_.relative_residual = fit_.relative_residual;
    const bool told = has_b_ && look && look->relative_residual && !fit_.known;
    if (told) fit_.consistent = look->consistent;
    known_consistent_ = !has_b_ || ((fit_.known || told) && fit_.consistent);
    if (has_b_ && !fit_.consistent)
      remark_inconsistent(fit_.known ? fit_.relative_residual : look->relative_residual);
    if (has_b_ && fit_.consistent && !known_consistent_)
      out_.remarks.push_back(
          "Nobody has seen yet whether the data are consistent: where they are not, methods that "
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

  FitComponents components() const {
    FitComponents out{forecast_->eigenvalues(), fit_.start};
    for (std::size_t j = 0; j < out.sizes.size(); ++j)
      out.sizes[j] *= std::sqrt(out.eigenvalues[j]);
    return out;
  }

  double seconds_of(const std::string& method, const Parameters& parameters, Index steps) {
    const bool samples = find_method(method)->sampled;
    const auto backend =
        make_backend(options_.device, {problem_.A(), problem_.b(), problem_.weights(), facts_.scale,
                                       problem_.lower(), problem_.upper(), products_.team()});
    const auto run = make_method(method, Setting{problem_, facts_, *backend, products_.team(),
                                                 samples ? sampler_.get() : nullptr, parameters});
    const double start = now_s();
    run->advance(0, steps);
    return (now_s() - start) / static_cast<double>(steps);
  }

  static Parameters constant(const theory::Parameters& p, Index batch) {
    Parameters out;
    out.batch = batch;
    out.step_size = [a = p.alpha](Index) { return a; };
    out.momentum = [b = p.beta()](Index) { return b; };
    return out;
  }

  void finish(PlanRow row, double iterations, double rows_per_iteration, double seconds) {
    const bool sampled = find_method(row.method)->sampled;
    if (sampled && !fit_.consistent) {
      row.note = "stops at its convergence horizon";
    } else if (std::isfinite(iterations)) {
      row.iterations = std::max(1.0, std::ceil(iterations));
      row.row_products = *row.iterations * rows_per_iteration;
      row.passes = *row.row_products / static_cast<double>(out_.rows);
      row.seconds = *row.iterations * seconds;
    } else {
      row.note = "diverges";
    }
    if (sampled && fit_.consistent && !known_consistent_)
      row.kind = "guess: data may be inconsistent";
    out_.table.push_back(std::move(row));
  }

  // Heavy ball and Nesterov exactly, or by the worst direction; conjugate gradients on the
  // spectrum; and by its ends alone where no more is known of it.
  void add_deterministic() {
    add_direct();
    const double pass = seconds_of("gd", constant(theory::Parameters::of(0.0, 0.0), out_.rows), 1);
    add_lsqr(pass);
    const double lmin = extremes_.lambda_min, lmax = extremes_.lambda_max;
    for (const auto& [name, method, p] :
         {std::tuple{"hbm", theory::Method::heavy_ball,
                     theory::heavy_ball_parameters(lmin, lmax, options_.gamma)},
          {"nag", theory::Method::nesterov,
           theory::nesterov_parameters(lmin, lmax, options_.gamma)}}) {
      PlanRow row = momentum_row(name, p);
      row.rate = theory::contraction(method, p, lmin, lmax);
      // A proof is about exact arithmetic: it says little of the last digits.
      const bool rounding = fit_.fit_target < 16.0 * 0x1p-52 * std::sqrt(out_.kappa);
      const bool proved = extremes_.exact && extremes_.unresolved == 0 && (fit_.known || !has_b_);
      row.kind = proved             ? (rounding ? "estimate: rounding may slow the end" : "proved")
                 : !extremes_.exact ? "estimate: from the estimated spectrum"
                 : fit_.known       ? "estimate: some singular values are left out"
                                    : "estimate: the fit of b is not known";
      std::optional<double> steps;
      if (extremes_.exact) steps = momentum_steps(method, p, components(), fit_.fit_target);
      finish(row, steps.value_or(std::log(fit_.fit_target) / std::log(*row.rate)),
             static_cast<double>(out_.rows), pass);
    }
  }

  void add_lsqr(double pass) {
    const double root = std::sqrt(out_.kappa), rate = (root - 1.0) / (root + 1.0);
    PlanRow row;
    row.method = "lsqr";
    row.rate = rate;
    std::optional<double> steps;
    if (extremes_.exact && extremes_.unresolved == 0)
      steps = krylov_steps(components(), fit_.fit_target);
    // In exact arithmetic there are no more steps than eigenvalues: beyond, rounding decides.
    const bool rounding =
        steps && *steps > 2.0 * static_cast<double>(forecast_->eigenvalues().size());
    row.kind = !steps     ? "guess: Chebyshev's bound, by the ends of the spectrum"
               : rounding ? "guess: conjugate gradients, slowed by rounding"
               : fit_.start.empty()
                   ? "guess: conjugate gradients on this spectrum, no direction preferred"
                   : "model: conjugate gradients on this spectrum and b";
    const double chebyshev = rate > 0.0 ? std::log(fit_.fit_target / 2.0) / std::log(rate) : 1.0;
    finish(row, steps.value_or(chebyshev), 2.0 * static_cast<double>(out_.rows), 2.0 * pass);
  }

  PlanRow momentum_row(const std::string& method, const theory::Parameters& p) const {
    PlanRow row;
    row.method = method;
    row.step_size = p.alpha * facts_.scale.a * facts_.scale.a;
    row.momentum = p.beta();
    return row;
  }

  // Householder QR by blocks costs a read and 2nd² operations; timed on a few rows.
  void add_direct() {
    if (out_.cols > most_exact_columns) return;
    const Index d = out_.cols, count = std::min<Index>(out_.rows, 2048);
    std::vector<double> rows(to_size(count * d));
    problem_.A().copy_rows(0, count, {rows.data(), count, d, d});
    const double start = now_s();
    Tsqr qr(d);
    qr.add({rows.data(), count, d, d});
    qr.finish();
    const double each = (now_s() - start) / static_cast<double>(std::max<Index>(1, count));
    PlanRow row;
    row.method = "direct";
    row.kind = "exact";
    const double n = static_cast<double>(out_.rows);
    // … and the singular values of R, which decide where A is nearly square.
    finish(row, 1.0, n,
           std::max(each * n / static_cast<double>(team_.size()), Costs(user_).direct()));
  }

  // Kaczmarz draws by row norms whatever the law of the minibatches is.
  void add_one_row_methods() {
    const Index steps = std::min<Index>(4096, 4 * out_.rows);
    const bool by_norm = law_named(options_.sampling) == Sampling::row_norm;
    PlanRow row;
    row.method = "rk";
    const double f2 = facts_.frobenius2;
    row.certified_rate =
        extremes_.exact ? std::optional(std::sqrt(1.0 - extremes_.lambda_min / f2)) : std::nullopt;
    const theory::Parameters p = theory::Parameters::of(1.0 / f2, 0.0);
    row.rate = by_norm ? forecast_->rate(theory::Method::heavy_ball, p, 1)
                       : std::sqrt(1.0 - extremes_.lambda_min / f2);
    row.kind = by_norm ? forecast_->kind() : "bound";
    Parameters parameters = constant(p, 1);
    parameters.land_on_rows = true;
    const double iterations =
        by_norm ? forecast_->iterations(theory::Method::heavy_ball, p, 1.0, fit_.start, fit_.target)
                : std::log(fit_.target) / std::log(*row.rate);
    finish(row, iterations, 1.0, seconds_of("rk", parameters, steps));
  }

  void add_minibatches() {
    const Index n = out_.rows, best = forecast_->best_batch(n);
    std::vector<Index> batches;
    for (double factor : {0.125, 1.0, 8.0, 64.0})
      batches.push_back(
          std::clamp<Index>(static_cast<Index>(factor * static_cast<double>(best)), 1, n));
    batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
    for (Index batch : batches) {
      if (batch == best) automatic_ = out_.table.size();
      add_minibatch(batch, forecast_->tuned(batch), "");
    }
    add_paper_batch();
  }

  void add_minibatch(Index batch, const theory::Parameters& p, const std::string& note) {
    PlanRow row = momentum_row("minibatch-hbm", p);
    row.batch = batch;
    row.rate = forecast_->rate(theory::Method::heavy_ball, p, batch);
    row.kind = forecast_->kind();
    row.note = note;
    const double energy = out_.eta * facts_.frobenius2;
    row.stability_number =
        theory::stability_number(p, extremes_.lambda_max, energy, static_cast<double>(batch));
    const double certified = theory::rate_for_batch(
        forecast_->worst_case(), theory::Method::heavy_ball, p, static_cast<double>(batch));
    if (extremes_.exact && certified < 1.0) row.certified_rate = certified;
    const Index steps = std::clamp<Index>(out_.rows / 8 / batch, 1, 50);
    const double seconds = seconds_of("minibatch-hbm", constant(quiet(p), batch), steps);
    finish(row,
           forecast_->iterations(theory::Method::heavy_ball, p, static_cast<double>(batch),
                                 fit_.start, fit_.target),
           static_cast<double>(batch), seconds);
  }

  // The same work without moving x: a timing must not overflow.
  static theory::Parameters quiet(theory::Parameters p) {
    p.alpha = 0.0;
    return p;
  }

  void add_paper_batch() {
    if (!working_.told().empty()) return;  // they are of columns as they are
    const theory::Parameters p =
        theory::heavy_ball_parameters(extremes_.lambda_min, extremes_.lambda_max, options_.gamma);
    const double heuristic = theory::heuristic_batch(facts_.frobenius2, extremes_.lambda_max,
                                                     out_.cols, out_.eta, p.alpha, p.beta());
    if (out_.kappa < 2.0 || !std::isfinite(heuristic)) return;
    const Index batch =
        std::clamp<Index>(static_cast<Index>(std::min(heuristic, 1e15)), 1, out_.rows);
    add_minibatch(batch, p,
                  heuristic > static_cast<double>(out_.rows)
                      ? "the paper's parameters; its B* exceeds the rows"
                      : "the paper's parameters and B*");
  }

  // The fastest here; methods that sample only where the data are known to be consistent, or
  // b is not given; those with momentum only where the spectrum is known; of the minibatches only
  // the one that solve takes by itself, whose batch does not depend on a clock. Kaczmarz must be
  // clearly faster than that one, which is certified stable and predicted as it runs.
  void recommend() {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < out_.table.size(); ++i) {
      const PlanRow& row = out_.table[i];
      const bool sampled = find_method(row.method)->sampled;
      const bool blind = row.momentum && !sampled && (!extremes_.exact || extremes_.unresolved > 0);
      if (!row.seconds || (row.batch && i != automatic_) || (sampled && !known_consistent_) ||
          blind)
        continue;
      const double seconds = *row.seconds * (row.method == "rk" ? 2.0 : 1.0);
      if (seconds >= least) continue;
      least = seconds;
      out_.recommended = i;
    }
  }

  SolveOptions options_;
  Problem user_;
  bool has_b_;
  ThreadTeam team_;
  WorkingProblem working_;
  const Problem& problem_;  // in the variables that methods work in
  const MatrixFacts& facts_;
  Products products_;
  std::unique_ptr<const Sampler> sampler_;
  Extremes extremes_;
  std::optional<Forecast> forecast_;
  PlanFit fit_;
  bool known_consistent_ = true;
  std::size_t automatic_ = 0;  // the row of the batch that solve would take
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
