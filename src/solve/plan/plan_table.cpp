#include "solve/plan/plan_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/clock.hpp"
#include "linalg/tsqr.hpp"
#include "sampling/law.hpp"
#include "theory/parameters.hpp"

namespace polyak::internal {
namespace {

theory::Parameters paper_parameters(theory::Method recurrence, double lmin, double lmax,
                                    double gamma) {
  return recurrence == theory::Method::nesterov ? theory::nesterov_parameters(lmin, lmax, gamma)
                                                : theory::heavy_ball_parameters(lmin, lmax, gamma);
}

Parameters constant(const theory::Parameters& p, Index batch) {
  Parameters out;
  out.batch = batch;
  out.step_size = [a = p.alpha](Index) { return a; };
  out.momentum = [b = p.beta()](Index) { return b; };
  return out;
}

// The same work without moving x: a timed run must not overflow.
theory::Parameters without_step(theory::Parameters p) {
  p.alpha = 0.0;
  return p;
}

class TableMaker {
 public:
  explicit TableMaker(const PlanFacts& in)
      : in_(in), extremes_(in.extremes), forecast_(in.forecast), fit_(in.fit) {}

  PlanTable make() {
    add(Prediction::factorisation, &TableMaker::add_factorisation);
    pass_seconds_ = seconds_of(gradient_descent_record(),
                               constant(theory::Parameters::of(0.0, 0.0), rows()), 1);
    add(Prediction::krylov, &TableMaker::add_krylov);
    add(Prediction::momentum, &TableMaker::add_momentum);
    add(Prediction::single_row, &TableMaker::add_single_row);
    add(Prediction::minibatch, &TableMaker::add_minibatches);
    recommend();
    return std::move(out_);
  }

 private:
  using Add = void (TableMaker::*)(const MethodRecord&);

  void add(Prediction prediction, Add function) {
    for (const MethodRecord* record : method_records())
      if (record->prediction == prediction) (this->*function)(*record);
  }

  Index rows() const { return in_.problem.rows(); }
  Index cols() const { return in_.problem.cols(); }

  FitComponents components() const {
    FitComponents out{forecast_.eigenvalues(), fit_.start};
    for (std::size_t j = 0; j < out.sizes.size(); ++j)
      out.sizes[j] *= std::sqrt(out.eigenvalues[j]);
    return out;
  }

  double seconds_of(const MethodRecord& record, const Parameters& parameters, Index steps) {
    const Sampler* sampler = record.info.sampled ? &in_.sampler : nullptr;
    const Problem& problem = in_.problem;
    const auto backend = make_backend(in_.options.device,
                                      {problem.A(), problem.b(), problem.weights(), in_.facts.scale,
                                       problem.lower(), problem.upper(), in_.team});
    const auto run = make_method(
        record.info.name, Setting{problem, in_.facts, *backend, in_.team, sampler, parameters});
    const double start = now_s();
    run->advance(0, steps);
    return (now_s() - start) / static_cast<double>(steps);
  }

  void finish(const MethodRecord& record, PlanRow row, double iterations, double seconds,
              double rows_per_iteration) {
    const bool sampled = record.info.sampled;
    row.method = record.info.name;
    if (sampled && !fit_.consistent) {
      row.note = "stops at its convergence horizon";
    } else if (std::isfinite(iterations)) {
      row.iterations = std::max(1.0, std::ceil(iterations));
      row.row_products = *row.iterations * rows_per_iteration;
      row.passes = *row.row_products / static_cast<double>(rows());
      row.seconds = *row.iterations * seconds;
    } else {
      row.note = "diverges";
    }
    if (sampled && fit_.consistent && !in_.known_consistent)
      row.kind = "guess: data may be inconsistent";
    out_.rows.push_back(std::move(row));
    records_.push_back(&record);
  }

  double full_reads(const MethodRecord& record) const {
    return record.reads_per_iteration * static_cast<double>(rows());
  }

  // Householder QR by blocks costs a read and 2nd² operations, timed on a few rows; and the
  // singular values of R, which dominate where A is nearly square.
  void add_factorisation(const MethodRecord& record) {
    if (cols() > most_exact_columns) return;
    const Index d = cols(), count = std::min<Index>(rows(), 2048);
    std::vector<double> block(to_size(count * d));
    in_.problem.A().copy_rows(0, count, {block.data(), count, d, d});
    const double start = now_s();
    Tsqr qr(d);
    qr.add({block.data(), count, d, d});
    qr.finish();
    const double each = (now_s() - start) / static_cast<double>(std::max<Index>(1, count));
    const double n = static_cast<double>(rows());
    PlanRow row;
    // The second is a correction, where rows are so different in size that rounding of the first
    // exceeds the tolerance.
    row.kind = "bound";
    const double most = in_.problem.ridge() > 0.0 ? 1.0 : 2.0;
    const double seconds =
        std::max(each * n / static_cast<double>(in_.team.size()), Costs(in_.user).direct());
    finish(record, row, most, seconds / most, n);
  }

  // Conjugate gradients on the spectrum, or by its ends alone where no more is known.
  void add_krylov(const MethodRecord& record) {
    const double root = std::sqrt(in_.kappa), rate = (root - 1.0) / (root + 1.0);
    PlanRow row;
    row.rate = rate;
    std::optional<double> steps;
    if (extremes_.exact && extremes_.unresolved == 0)
      steps = krylov_steps(components(), fit_.fit_target);
    // Exact arithmetic takes no more steps than there are eigenvalues: beyond, rounding decides.
    const bool rounding =
        steps && *steps > 2.0 * static_cast<double>(forecast_.eigenvalues().size());
    row.kind = !steps     ? "guess: Chebyshev's bound, by the ends of the spectrum"
               : rounding ? "guess: conjugate gradients, slowed by rounding"
               : fit_.start.empty()
                   ? "guess: conjugate gradients on this spectrum, no direction preferred"
                   : "model: conjugate gradients on this spectrum and b";
    const double chebyshev = rate > 0.0 ? std::log(fit_.fit_target / 2.0) / std::log(rate) : 1.0;
    finish(record, row, steps.value_or(chebyshev), record.reads_per_iteration * pass_seconds_,
           full_reads(record));
  }

  PlanRow momentum_row(const theory::Parameters& p) const {
    PlanRow row;
    row.step_size = p.alpha * in_.facts.scale.a * in_.facts.scale.a;
    row.momentum = p.beta();
    return row;
  }

  // Exactly, or for the worst direction; by the ends of the spectrum where no more is known.
  void add_momentum(const MethodRecord& record) {
    const theory::Method recurrence = record.plan.recurrence;
    const double lmin = extremes_.lambda_min, lmax = extremes_.lambda_max;
    const theory::Parameters p = paper_parameters(recurrence, lmin, lmax, in_.options.gamma);
    PlanRow row = momentum_row(p);
    row.rate = theory::contraction(recurrence, p, lmin, lmax);
    row.kind = kind_of_momentum();
    std::optional<double> steps;
    if (extremes_.exact) steps = momentum_steps(recurrence, p, components(), fit_.fit_target);
    finish(record, row, steps.value_or(std::log(fit_.fit_target) / std::log(*row.rate)),
           pass_seconds_, full_reads(record));
  }

  // A proof is about exact arithmetic: it says little about the last digits.
  std::string kind_of_momentum() const {
    const bool rounding = fit_.fit_target < 16.0 * 0x1p-52 * std::sqrt(in_.kappa);
    const bool proved = extremes_.exact && extremes_.unresolved == 0 && (fit_.known || !in_.has_b);
    return proved             ? (rounding ? "estimate: rounding may slow the end" : "proved")
           : !extremes_.exact ? "estimate: from the estimated spectrum"
           : fit_.known       ? "estimate: some singular values are left out"
                              : "estimate: the fit of b is not known";
  }

  // Kaczmarz draws by row norms, whatever the law of the minibatches.
  void add_single_row(const MethodRecord& record) {
    const Index steps = std::min<Index>(4096, 4 * rows());
    const bool by_norm = law_named(in_.options.sampling) == Sampling::row_norm;
    const double f2 = in_.facts.frobenius2;
    const double bound = std::sqrt(1.0 - extremes_.lambda_min / f2);
    const theory::Parameters p = theory::Parameters::of(1.0 / f2, 0.0);
    PlanRow row;
    if (extremes_.exact) row.certified_rate = bound;
    row.rate = by_norm ? forecast_.rate(theory::Method::heavy_ball, p, 1) : bound;
    row.kind = by_norm ? forecast_.kind() : "bound";
    Parameters parameters = constant(p, 1);
    parameters.project_on_rows = true;
    const double iterations =
        by_norm ? forecast_.iterations(theory::Method::heavy_ball, p, 1.0, fit_.start, fit_.target)
                : std::log(fit_.target) / std::log(*row.rate);
    finish(record, row, iterations, seconds_of(record, parameters, steps), 1.0);
  }

  void add_minibatches(const MethodRecord& record) {
    const Index n = rows(), best = forecast_.best_batch(n);
    std::vector<Index> batches;
    for (double factor : {0.125, 1.0, 8.0, 64.0})
      batches.push_back(
          std::clamp<Index>(static_cast<Index>(factor * static_cast<double>(best)), 1, n));
    batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
    for (Index batch : batches) {
      if (batch == best) default_batch_row_ = out_.rows.size();
      add_minibatch(record, batch, record.plan.tuned(forecast_.sampled_model(), batch), "");
    }
    add_paper_batch(record);
  }

  void add_minibatch(const MethodRecord& record, Index batch, const theory::Parameters& p,
                     const std::string& note) {
    const theory::Method recurrence = record.plan.recurrence;
    const auto size = static_cast<double>(batch);
    PlanRow row = momentum_row(p);
    row.batch = batch;
    row.rate = forecast_.rate(recurrence, p, batch);
    row.kind = forecast_.kind();
    row.note = note;
    row.stability_number =
        theory::stability_number(p, extremes_.lambda_max, in_.eta * in_.facts.frobenius2, size);
    const double certified = theory::rate_for_batch(forecast_.worst_case(), recurrence, p, size);
    if (extremes_.exact && certified < 1.0) row.certified_rate = certified;
    const Index steps = std::clamp<Index>(rows() / 8 / batch, 1, 50);
    const double seconds = seconds_of(record, constant(without_step(p), batch), steps);
    finish(record, row, forecast_.iterations(recurrence, p, size, fit_.start, fit_.target), seconds,
           size);
  }

  void add_paper_batch(const MethodRecord& record) {
    if (in_.columns_scaled) return;
    const theory::Parameters p = paper_parameters(record.plan.recurrence, extremes_.lambda_min,
                                                  extremes_.lambda_max, in_.options.gamma);
    const double heuristic = theory::internal::heuristic_batch(
        in_.facts.frobenius2, extremes_.lambda_max, cols(), in_.eta, p.alpha, p.beta());
    if (in_.kappa < 2.0 || !std::isfinite(heuristic)) return;
    const Index batch = std::clamp<Index>(static_cast<Index>(std::min(heuristic, 1e15)), 1, rows());
    add_minibatch(record, batch, p,
                  heuristic > static_cast<double>(rows())
                      ? "the paper's parameters; its B* exceeds the rows"
                      : "the paper's parameters and B*");
  }

  // The fastest here, except: sampled methods where the data may be inconsistent; full-gradient
  // methods with momentum where the spectrum is not known exactly; minibatches other than the
  // one that solve takes by default, whose batch does not depend on a clock. Kaczmarz must be
  // twice as fast: that minibatch is certified stable and its prediction is more reliable.
  void recommend() {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      const PlanRow& row = out_.rows[i];
      const MethodInfo& info = records_[i]->info;
      const bool blind =
          row.momentum && !info.sampled && (!extremes_.exact || extremes_.unresolved > 0);
      if (!row.seconds || (row.batch && i != default_batch_row_) ||
          (info.sampled && !in_.known_consistent) || blind)
        continue;
      const double seconds = *row.seconds * (info.single_row() ? 2.0 : 1.0);
      if (seconds >= least) continue;
      least = seconds;
      out_.recommended = i;
    }
  }

  const PlanFacts& in_;
  const Extremes& extremes_;
  const Forecast& forecast_;
  const PlanFit& fit_;
  double pass_seconds_ = 0.0;                 // of one full gradient
  std::size_t default_batch_row_ = 0;         // the row of the batch that solve would take
  std::vector<const MethodRecord*> records_;  // of the rows
  PlanTable out_;
};

}  // namespace

PlanTable make_plan_table(const PlanFacts& facts) { return TableMaker(facts).make(); }

}  // namespace polyak::internal
