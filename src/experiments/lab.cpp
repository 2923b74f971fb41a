#include "experiments/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/clock.hpp"
#include "polyak/error.hpp"
#include "polyak/methods.hpp"
#include "polyak/replicates.hpp"
#include "polyak/version.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

std::string described(const SolveOptions& o) {
  std::string out = fmt::format("{} {} gamma {} {}", o.method, o.parameters, o.gamma, o.sampling);
  const auto put = [&](const char* name, const auto& value) {
    if (value) out += fmt::format(" {} {}", name, *value);
  };
  put("batch", o.batch_size);
  put("step", o.step_size);
  put("momentum", o.momentum);
  put("lambda_min", o.lambda_min);
  put("lambda_max", o.lambda_max);
  return out;
}

std::string build_name() {
  const BuildInfo& build = build_info();
  return fmt::format("polyak {} ({})", build.version, build.commit);
}

// Sets lambda_min and lambda_max from the known spectrum where the method needs only these, so
// that they are not computed again.
SolveOptions with_known_spectrum(const SolveOptions& asked, const ProblemFacts& facts) {
  SolveOptions out = asked;
  const MethodInfo* method = find_method(asked.method);
  const bool needs_only_ends = asked.parameters == "paper" || !method->sampled;
  if (!needs_only_ends || asked.step_size) return out;
  if (!out.lambda_min && (method->traits & trait::lambda_min) && facts.lambda_min > 0.0)
    out.lambda_min = facts.lambda_min;
  if (!out.lambda_max && (method->traits & trait::lambda_max)) out.lambda_max = facts.lambda_max;
  return out;
}

RunResult summary(const Replicates& done, const std::string& method) {
  RunResult out;
  out.iterations = done.iterations;
  out.error = summarise(done.errors);
  out.residual = summarise(done.residuals);
  out.runs = std::ssize(done.errors);
  out.method = method;
  out.sampling = done.used.sampling.value_or("");
  out.batch = done.used.batch;
  out.step_size = done.used.step_size;
  out.momentum = done.used.momentum;
  out.ark_mu = done.used.ark_mu;
  out.ark_nu = done.used.ark_nu;
  out.rows_per_iteration = done.rows_per_iteration;
  out.build = build_name();
  return out;
}

int used_threads(Index asked) {
  return asked > 0 ? static_cast<int>(asked)
                   : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// The batch size that stands for full gradients: no sampling noise.
constexpr double all_rows = 1e300;

std::optional<theory::Method> modelled_method(const std::string& method) {
  if (method == "nag" || method == "minibatch-nag") return theory::Method::nesterov;
  for (const char* name : {"gd", "hbm", "sgd", "rk", "minibatch-sgd", "minibatch-hbm"})
    if (method == name) return theory::Method::heavy_ball;
  return {};
}

// From E‖e_k‖² ≤ (1 − √(mu/nu))^k, up to a constant factor.
std::optional<double> accelerated_kaczmarz_steps(const RunResult& ran, double tol) {
  if (!ran.ark_mu || !ran.ark_nu) return {};
  return 2.0 * std::log(1.0 / tol) / -std::log1p(-std::sqrt(*ran.ark_mu / *ran.ark_nu));
}

}  // namespace

Lab::Lab(const Options& options, Progress& progress)
    : options_(options), progress_(progress), store_(options.out, options.force) {}

void Lab::set_problem(const ProblemSpec& problem) {
  if (problem_ && problem_->key() == problem.key()) return;
  bench_.reset();
  model_.reset();
  facts_.reset();
  problem_ = problem;
}

Workbench& Lab::bench() {
  if (!bench_) bench_ = std::make_unique<Workbench>(*problem_, static_cast<int>(options_.threads));
  return *bench_;
}

const ProblemFacts& Lab::facts() {
  if (facts_) return *facts_;
  const std::string key = fmt::format("problem {} {}", version_string, problem_->key());
  facts_ = store_.load<ProblemFacts>(key);
  if (!facts_) {
    facts_ = bench().facts();
    store_.save(key, *facts_);
  }
  return *facts_;
}

// A longer run contains the shorter ones, so the number of iterations is not part of the key,
// except with an image, which is the last x. The number of threads does not change results.
std::string Lab::key(const RunRequest& wanted) const {
  std::string out =
      fmt::format("run {} {} | {} | seed {} runs {} every {} residuals {} path {}", version_string,
                  problem_->key(), described(wanted.options), wanted.options.seed, wanted.runs,
                  wanted.every, wanted.residuals, wanted.path);
  if (wanted.image) out += fmt::format(" image after {}", wanted.iterations);
  return out;
}

RunResult Lab::run(const RunRequest& wanted) {
  const std::string name = key(wanted);
  if (const auto stored = store_.load<RunResult>(name);
      stored && !stored->iterations.empty() &&
      stored->iterations.back() + wanted.every > wanted.iterations) {
    if (!store_.saved(name)) kept_names_.insert(name);
    progress_.end(false);
    return *stored;
  }
  if (progress_.report(0.0)) throw Interrupted{};
  Workbench& bench = this->bench();
  if (wanted.residuals && !bench.has_basis())
    throw Error(ErrorCode::bad_data, {.what = "residual norms need at most 256 columns",
                                      .found = std::to_string(bench.problem().cols()),
                                      .expected = {},
                                      .hint = "leave residuals out of the spec"});
  const double started = now_s();
  ReplicateRequest request;
  request.runs = wanted.runs;
  request.iterations = wanted.iterations;
  request.every = wanted.every;
  request.stop = [&](double done) { return progress_.report(done); };
  if (wanted.residuals) request.residual_norm = [&](ConstView x) { return bench.residual_norm(x); };
  std::vector<std::vector<double>> path;
  std::vector<double> image;
  if (wanted.path || wanted.image)
    request.measured = [&](Index run, Index, ConstView x) {
      if (run != 0) return;
      if (wanted.path) path.emplace_back(x.data, x.data + x.size());
      if (wanted.image) image.assign(x.data, x.data + x.size());
    };
  SolveOptions options = with_known_spectrum(wanted.options, facts());
  options.threads = options_.threads;
  const Replicates done = run_replicates(bench.problem(), options, request);
  if (!done.complete) throw Interrupted{};
  RunResult out = summary(done, wanted.options.method);
  out.path = std::move(path);
  out.image = std::move(image);
  out.seconds = now_s() - started;
  out.threads = used_threads(options_.threads);
  store_.save(name, out);
  ++made_;
  progress_.end(true);
  return out;
}

const theory::Model& Lab::model() {
  if (!model_) {
    const SpectrumFacts& s = bench().spectrum();
    const RowScatter scatter =
        row_scatter(bench().problem().matrix(), s, static_cast<int>(options_.threads));
    model_ = theory::diag_model(s.eigenvalues, scatter.K);
  }
  return *model_;
}

Prediction Lab::predict(Index k, double max_batch) {
  const std::string name = fmt::format("prediction {} {} | k {} up to {}", version_string,
                                       problem_->key(), k, max_batch);
  if (auto stored = store_.load<Prediction>(name)) return *stored;
  Prediction out;
  if (!bench().has_basis()) return out;
  const SpectrumFacts& s = bench().spectrum();
  const theory::Model worst = theory::worst_case_model(s.eigenvalues, s.frobenius2);
  const auto p = theory::heavy_ball_parameters(s.lambda_min, s.lambda_max, 1e-3);
  theory::Start start;
  start.components = bench().start();
  constexpr int points = 49;
  for (int i = 0; i < points; ++i) {
    const double batch = max_batch * std::pow(10.0, -3.0 + 3.0 * i / (points - 1));
    const auto ms =
        theory::mean_square_trajectory(model(), theory::Method::heavy_ball, p, batch, start, k);
    out.batches.push_back(batch);
    out.rms.push_back(std::sqrt(ms.back() / ms.front()));
    out.certified.push_back(std::sqrt(theory::certified_mean_square(worst, p, batch, k)));
  }
  store_.save(name, out);
  return out;
}

std::optional<double> Lab::predicted_steps(const RunResult& ran, double tol, Index max_iterations) {
  if (ran.method == "ark") return accelerated_kaczmarz_steps(ran, tol);
  const auto method = modelled_method(ran.method);
  const bool modelled = ran.sampling.empty() || ran.sampling == "row-norm";
  if (!method || !ran.step_size || !modelled) return {};
  const std::string name = fmt::format(
      "steps {} {} | {} {} {} {} to {} within {}", version_string, problem_->key(), ran.method,
      *ran.step_size, ran.momentum.value_or(0.0), ran.batch.value_or(0), tol, max_iterations);
  if (const auto stored = store_.load<Steps>(name)) return stored->count;
  if (!bench().has_basis()) return {};
  theory::Start start;
  start.components = bench().start();
  const auto p = theory::Parameters::of(*ran.step_size, ran.momentum.value_or(0.0));
  const double batch = ran.batch ? static_cast<double>(*ran.batch) : all_rows;
  const auto ms = theory::mean_square_trajectory(model(), *method, p, batch, start, max_iterations);
  Steps steps;
  for (std::size_t k = 0; k < ms.size() && !steps.count; ++k)
    if (std::sqrt(ms[k] / ms[0]) <= tol) steps.count = static_cast<double>(k);
  store_.save(name, steps);
  return steps.count;
}

}  // namespace polyak::experiments::internal
