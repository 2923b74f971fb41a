#include <algorithm>
#include <cmath>
#include <numbers>

#include "matrix/products.hpp"
#include "polyak/error.hpp"
#include "polyak/methods.hpp"
#include "polyak/option_table.hpp"
#include "polyak/problem.hpp"
#include "polyak/theory.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography {
namespace {

// ‖A‖_F² and, for a sampling law, eta·‖A‖_F² = max ‖a_i‖²/p_i, where A includes the weights. One
// pass.
struct Energy {
  double frobenius2 = 0.0, sampled = 0.0;
};
Energy energy_of(const Problem& problem, const std::string& sampling, int threads) {
  const Index n = problem.rows();
  std::vector<double> norms(to_size(n));
  ThreadTeam team(threads);
  Products(problem.A(), {}, {}, team).for_row_chunks([&](Index, Index first, Index last) {
    problem.A().norms(first, last, 1.0, {norms.data() + first, to_size(last - first)}, {});
  });
  Energy out;
  double largest = 0.0, nonzero = 0.0;
  for (Index i = 0; i < n; ++i) {
    double& v = norms[to_size(i)];
    if (!problem.weights().empty()) v *= problem.weights()[to_size(i)];
    out.frobenius2 += v;
    nonzero += v > 0.0;
    largest = std::max(largest, v);
  }
  for (double v : norms) {
    const double p = sampling == "row-norm"  ? v / out.frobenius2
                     : sampling == "uniform" ? 1.0 / nonzero
                                             : 0.5 * v / out.frobenius2 + 0.5 / nonzero;
    if (v > 0.0) out.sampled = std::max(out.sampled, v / p);
  }
  return out;
}

// Step size and momentum for a batch where lambda_min is nearly zero, so that there is no rate to
// optimise. Instead the effective step per row, alpha/((1 − beta)·B), is that of Kaczmarz, at the
// stability number q = ½ (q < 1 is certified stable, q near 1 is noisy). Small batches need no
// momentum for that; for large ones alpha = 1/lambda_max, and the momentum gives the rest.
theory::Parameters for_row_efficiency(double lambda_max, double energy, double batch) {
  constexpr double wanted = 0.5;
  const double plain = 2.0 * wanted * batch / (energy + wanted * lambda_max * batch);
  if (plain * lambda_max <= 1.0) return theory::Parameters::of(plain, 0.0);
  double low = 0.0, high = 0.9999;  // bisection: q increases with beta
  for (int k = 0; k < 60; ++k) {
    const double beta = 0.5 * (low + high);
    const auto p = theory::Parameters::of(1.0 / lambda_max, beta);
    (theory::stability_number(p, lambda_max, energy, batch) < wanted ? low : high) = beta;
  }
  return theory::Parameters::of(1.0 / lambda_max, low);
}

constexpr double default_coverage = 400.0;

// From the allowed number of iterations: the slowest covered component of the image should get ten
// time constants 1/(1 − √beta).
double momentum_for(const ReconstructOptions& o, Index rays, double batch) {
  double iterations = 500.0;
  if (o.max_passes) iterations = *o.max_passes * static_cast<double>(rays) / batch;
  if (o.max_iterations) iterations = static_cast<double>(*o.max_iterations);
  const double gap = std::clamp(10.0 / iterations, 0.002, 0.3);
  return (1.0 - gap) * (1.0 - gap);
}

// Chooses the options of the solver that the user has not given.
class ParameterChooser {
 public:
  ParameterChooser(const Problem& problem, const ReconstructOptions& options, Reconstruction& out)
      : problem_(problem), o_(options), out_(out), info_(find_method(options.method)) {
    if (!info_)
      throw Error(ErrorCode::usage, {.what = "there is no method of that name",
                                     .where = option_name("method"),
                                     .found = "'" + options.method + "'"});
  }

  SolveOptions choose() {
    SolveOptions s;
    s.method = o_.method;
    s.batch_size = o_.batch;
    s.step_size = o_.step_size;
    s.momentum = o_.momentum;
    if (info_->traits & trait::sampling) s.sampling = o_.sampling;
    s.seed = o_.seed;
    s.threads = o_.threads;
    s.max_iterations = o_.max_iterations;
    s.max_passes = o_.max_passes;
    s.time_limit_s = o_.time_limit_s;
    s.time_spent_s = o_.time_spent_s;
    s.measure_every = o_.measure_every;
    s.tol = 0.0;  // images stop by noise, plateau or limits, not by a tolerance
    if (o_.b_star)
      choose_by_b_star(s);
    else if (info_->traits & trait::spectrum)
      choose_by_coverage(s);
    return s;
  }

 private:
  bool has(unsigned traits) const { return (info_->traits & traits) == traits; }

  double lambda_max() {
    const NormBounds bounds =
        norm_bounds(problem_.A(), {problem_.weights().begin(), problem_.weights().end()}, 3,
                    static_cast<int>(o_.threads));
    out_.lambda_max = bounds.upper;
    return bounds.upper;
  }

  // As in the paper: B* is given, and the step size follows from it.
  void choose_by_b_star(SolveOptions& s) {
    if (!has(trait::batch | trait::momentum))
      throw Error(ErrorCode::usage, {.what = "only minibatch-hbm and minibatch-nag use B*",
                                     .where = option_name("b-star"),
                                     .found = option_name("method", o_.method)});
    const double b = *o_.b_star;
    s.batch_size = o_.batch.value_or(std::max<Index>(1, static_cast<Index>(b)));
    s.momentum =
        o_.momentum.value_or(momentum_for(o_, problem_.rows(), static_cast<double>(*s.batch_size)));
    s.step_size = step_for(b, *s.momentum, energy().frobenius2, lambda_max(), problem_.cols());
  }

  // lambda_min is nearly zero, so a larger one is chosen; components below it converge slowly. The
  // planner then tunes for the batch as for any matrix.
  void choose_by_coverage(SolveOptions& s) {
    const bool given = s.step_size && (!has(trait::momentum) || s.momentum);
    if (given && (!has(trait::batch) || s.batch_size)) return;
    s.lambda_max = lambda_max();
    if (has(trait::batch) && !s.batch_size) s.batch_size = default_batch(*s.lambda_max);
    const bool ours = !o_.coverage && !s.step_size && !s.momentum;
    if (o_.method == "minibatch-hbm" && ours) return choose_by_row_efficiency(s);
    if (has(trait::lambda_min))
      s.lambda_min = *s.lambda_max / o_.coverage.value_or(default_coverage);
  }

  // Slightly more than the largest batch that needs no momentum (see for_row_efficiency): the
  // fewest iterations at the least work per row.
  Index default_batch(double lambda_max) {
    const double batch = 2.2 * energy().sampled / lambda_max;
    return std::clamp<Index>(static_cast<Index>(batch), 1, std::max<Index>(1, problem_.rows()));
  }

  void choose_by_row_efficiency(SolveOptions& s) {
    const auto p =
        for_row_efficiency(*s.lambda_max, energy().sampled, static_cast<double>(*s.batch_size));
    s.step_size = p.alpha;
    s.momentum = p.beta();
    s.lambda_max.reset();
  }

  const Energy& energy() {
    if (!energy_) energy_ = energy_of(problem_, o_.sampling, static_cast<int>(o_.threads));
    return *energy_;
  }

  const Problem& problem_;
  const ReconstructOptions& o_;
  Reconstruction& out_;
  const MethodInfo* info_;
  std::optional<Energy> energy_;
};

void describe(const Problem& problem, Reconstruction& out) {
  const Used& used = out.report.used;
  if (!out.lambda_max || !used.step_size || !used.momentum || *used.momentum <= 0.0) return;
  out.kappa_covered = kappa_covered(*used.step_size, *used.momentum, *out.lambda_max);
  if (used.frobenius2)
    out.b_star = batch_for(*used.step_size, *used.momentum, *used.frobenius2, *out.lambda_max,
                           problem.cols());
}

// Runs the solver in parts of image_every iterations, to deliver the images in between.
Report run_with_images(Solver& solver, const SolveOptions& s, const ReconstructOptions& o,
                       StopRules& rules) {
  if (o.image_every <= 0 || !o.on_image) return solver.run(&rules);
  for (Index k = o.image_every;; k += o.image_every) {
    const Index last = s.max_iterations ? std::min(k, *s.max_iterations) : k;
    solver.set_limits(last, s.max_passes);
    Report report = solver.run(&rules);
    o.on_image(report.iterations, solver.state().vectors[0], 0);
    const bool ours = report.status == Status::limit && report.iterations == last;
    if (!ours || (s.max_iterations && last == *s.max_iterations)) return report;
  }
}

// A run in parts measures twice at the end of each part; keep one of the lines.
void drop_repeats(std::vector<Measurement>& history) {
  const auto same = [](const Measurement& a, const Measurement& b) {
    return a.iteration == b.iteration;
  };
  history.erase(std::unique(history.begin(), history.end(), same), history.end());
}

// The image is the last iterate and not that of the smallest gradient, so the report must have the
// norms of the last line.
void use_last_measurement(Report& report) {
  if (report.history.empty()) return;
  const Measurement& m = report.history.back();
  report.residual_norm = m.residual_norm;
  report.gradient_norm = m.gradient_norm;
  report.relative_residual = m.relative_residual;
  report.relative_gradient = m.relative_gradient;
  report.error = m.error;
}

// B* = constant·alpha²/(beta·log(1/beta)).
double constant(double frobenius2, double lambda_max, Index d) {
  return 16.0 * std::numbers::e * frobenius2 * lambda_max * std::log(2.0 * static_cast<double>(d));
}

}  // namespace

Reconstruction run_solver(const std::shared_ptr<const Problem>& problem,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from) {
  Reconstruction out;
  SolveOptions s = ParameterChooser(*problem, options, out).choose();
  if (rules.active() && !s.measure_every) s.measure_every = 1.0;
  Solver solver(problem, s);
  if (from) {
    solver.resume(*from);
    rules.resume(from->history);
  }
  out.report = run_with_images(solver, s, options, rules);
  drop_repeats(out.report.history);
  const SolverState state = solver.state();
  const bool last = !state.vectors.empty() && out.report.status != Status::diverged;
  if (last) use_last_measurement(out.report);
  const Array best = out.report.x;
  out.images.resize(to_size(problem->cols() * problem->right_hand_sides()));
  for (Index c = 0; c < best.cols(); ++c)
    for (Index j = 0; j < best.rows(); ++j)
      out.images[to_size(c * best.rows() + j)] =
          last ? state.vectors[0][to_size(c * best.rows() + j)] : best(j, c);
  describe(*problem, out);
  return out;
}

double batch_for(double step, double momentum, double frobenius2, double lambda_max, Index d) {
  return constant(frobenius2, lambda_max, d) * step * step / (momentum * -std::log(momentum));
}

double step_for(double b_star, double momentum, double frobenius2, double lambda_max, Index d) {
  return std::sqrt(b_star * momentum * -std::log(momentum) / constant(frobenius2, lambda_max, d));
}

double kappa_covered(double step, double momentum, double lambda_max) {
  const double gap = 1.0 - std::sqrt(momentum);
  return step * lambda_max / (gap * gap);
}

}  // namespace polyak::tomography
