// What theory says of the problem on the bench.

#include <fmt/format.h>

#include <cmath>

#include "experiments/lab.hpp"
#include "polyak/version.hpp"

namespace polyak::experiments {
namespace {

// Full gradients are batches without noise.
constexpr double all_rows = 1e300;

std::optional<theory::Method> family(const std::string& method) {
  if (method == "nag" || method == "minibatch-nag") return theory::Method::nesterov;
  for (const char* name : {"gd", "hbm", "sgd", "rk", "minibatch-sgd", "minibatch-hbm"})
    if (method == name) return theory::Method::heavy_ball;
  return {};
}

// E‖e_k‖² ≤ (1 − √(mu/nu))^k up to a factor.
std::optional<double> accelerated_kaczmarz_steps(const RunResult& ran, double tol) {
  if (!ran.ark_mu || !ran.ark_nu) return {};
  return 2.0 * std::log(1.0 / tol) / -std::log1p(-std::sqrt(*ran.ark_mu / *ran.ark_nu));
}

}  // namespace

const theory::Model& Lab::model() {
  if (!model_) {
    const SpectrumFacts& s = bench().spectrum();
    const RowScatter scatter =
        row_scatter(bench().problem().matrix(), s, static_cast<int>(options_.threads));
    model_ = theory::diag_model(s.eigenvalues, scatter.K);
  }
  return *model_;
}

Prediction Lab::predict(Index k, double most_batch) {
  const std::string name = fmt::format("prediction {} {} | k {} up to {}", version_string,
                                       problem_->key(), k, most_batch);
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
    const double batch = most_batch * std::pow(10.0, -3.0 + 3.0 * i / (points - 1));
    const auto ms =
        theory::mean_square_trajectory(model(), theory::Method::heavy_ball, p, batch, start, k);
    out.batches.push_back(batch);
    out.rms.push_back(std::sqrt(ms.back() / ms.front()));
    out.certified.push_back(std::sqrt(theory::certified_mean_square(worst, p, batch, k)));
  }
  store_.save(name, out);
  return out;
}

std::optional<double> Lab::predicted_steps(const RunResult& ran, double tol, Index most) {
  if (ran.method == "ark") return accelerated_kaczmarz_steps(ran, tol);
  const auto method = family(ran.method);
  const bool modelled = ran.sampling.empty() || ran.sampling == "row-norm";
  if (!method || !ran.step_size || !modelled) return {};
  const std::string name = fmt::format(
      "steps {} {} | {} {} {} {} to {} within {}", version_string, problem_->key(), ran.method,
      *ran.step_size, ran.momentum.value_or(0.0), ran.batch.value_or(0), tol, most);
  if (const auto stored = store_.load<Steps>(name)) return stored->count;
  if (!bench().has_basis()) return {};
  theory::Start start;
  start.components = bench().start();
  const auto p = theory::Parameters::of(*ran.step_size, ran.momentum.value_or(0.0));
  const double batch = ran.batch ? static_cast<double>(*ran.batch) : all_rows;
  const auto ms = theory::mean_square_trajectory(model(), *method, p, batch, start, most);
  Steps steps;
  for (std::size_t k = 0; k < ms.size() && !steps.count; ++k)
    if (std::sqrt(ms[k] / ms[0]) <= tol) steps.count = static_cast<double>(k);
  store_.save(name, steps);
  return steps.count;
}

}  // namespace polyak::experiments
