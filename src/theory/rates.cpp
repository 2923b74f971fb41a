#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

double batch_with_hint(const Model& model, Method method, const Parameters& p, double r,
                       std::vector<double>& hint) {
  // For r > 1 the two ends do not bound B(r), but B(r) ≤ B(1) since it decreases.
  const double used = model.ends_only ? std::min(r, 1.0) : r;
  const Impulse impulse(method, p, model.eigenvalues, model.ridge, used);
  if (!impulse.exists()) return infinity;
  const double B = p.alpha * (p.alpha * model.growth(model, impulse, hint));
  return std::isnan(B) ? infinity : B;
}

// l_j·(E − l_j).
double w(const Model& model, Index j) {
  const double l = model.eigenvalues[to_size(j)];
  return l * std::max(0.0, model.energy - l);
}

// s^(k+1)·(max phi + (alpha²·max Gam/B)·max(w·phi)/(1 − c)), c = B_cert(r)/B < 1, after
// k steps; phi is Impulse::start_gain (docs/theory, section 0).
double mean_square_at(const Model& model, const Parameters& p, double batch, Index steps,
                      double r) {
  const Impulse impulse(Method::heavy_ball, p, model.eigenvalues, model.ridge, r);
  if (!impulse.exists()) return infinity;
  double phi = 0.0, w_phi = 0.0, gain = 0.0, w_gain = 0.0;
  for (Index j = 0; j < impulse.size(); ++j) {
    const double start = impulse.start_gain(j), g = impulse.gain(j);
    phi = std::max(phi, start);
    w_phi = std::max(w_phi, w(model, j) * start);
    gain = std::max(gain, g);
    w_gain = std::max(w_gain, w(model, j) * g);
  }
  const double noise = p.alpha * p.alpha / batch, c = noise * w_gain;
  if (!(c < 1.0)) return infinity;
  return std::pow(r, 2.0 * static_cast<double>(steps + 1)) *
         (phi + noise * gain * w_phi / (1.0 - c));
}

}  // namespace

double batch_for_rate(const Model& model, Method method, const Parameters& p, double r) {
  std::vector<double> hint;
  return batch_with_hint(model, method, p, r, hint);
}

double stability_threshold(const Model& model, Method method, const Parameters& p) {
  return batch_for_rate(model, method, p, 1.0);
}

// Solves B(r) = batch for r > rho(T). The unknown is log(r − rho(T)), in which log B(r) is nearly
// linear at both ends.
double rate_for_batch(const Model& model, Method method, const Parameters& p, double batch) {
  if (!(batch > 0.0))
    throw Error(ErrorCode::usage,
                {.what = "the batch is not positive", .found = std::to_string(batch)});
  std::vector<double> hint;
  const double floor = contraction(method, p, model.eigenvalues, model.ridge);
  const auto excess = [&](double log_above) {
    const double B = batch_with_hint(model, method, p, floor + std::exp(log_above), hint);
    return B > 0.0 ? std::log(B / batch) : -infinity;
  };
  if (model.ends_only && !(stability_threshold(model, method, p) < batch)) return infinity;
  const double least = std::log(1e-15 * std::max(floor, 1e-3));
  Sample low{least, excess(least)}, high{0.0, excess(0.0)};
  if (!(low.value > 0.0)) return floor;
  for (; high.value > 0.0 && high.at < 300.0; high = {high.at + 2.0, excess(high.at + 2.0)})
    low = high;
  return floor + std::exp(falling_zero(excess, low, high, 1e-15, 1e-14));
}

// q = alpha·E(1 + beta)/((1 − beta)(2(1 + beta) − alpha·lmax)B) (docs/theory, section 0).
double stability_number(const Parameters& p, double lambda_max, double energy, double batch) {
  const double margin = stability_margin(p, lambda_max), c = one_minus_beta(p);
  if (!(margin > 0.0) || !(c > 0.0)) return infinity;
  return p.alpha * energy * (1.0 + p.beta()) / (c * margin * batch);
}

double certified_mean_square(const Model& model, const Parameters& p, double batch, Index steps,
                             std::optional<double> r) {
  if (model.ends_only || model.name != "worst-case") return infinity;
  const auto bound = [&](double rate) { return mean_square_at(model, p, batch, steps, rate); };
  if (r) return bound(*r);
  const double least = rate_for_batch(model, Method::heavy_ball, p, batch);
  const double above =
      golden_section([&](double log_above) { return bound(least + std::exp(log_above)); },
                     std::log(1e-9 * least + 1e-300), std::log(1.0 + least), 1e-6);
  return bound(least + std::exp(above));
}

// (alpha²·R/B)·max S_j(1)/(1 − chi), chi = (alpha²·E/B)·max l_j·Gam_j(1) (docs/theory, 4.5).
// For heavy ball both maxima are at the ends of the spectrum, and chi is q.
double certified_horizon(const Model& model, Method method, const Parameters& p, double batch,
                         double residual_energy) {
  const Impulse impulse(method, p, model.eigenvalues, model.ridge, 1.0);
  if (!impulse.exists()) return infinity;
  double error = 0.0, feedback = 0.0;
  for (Index j = 0; j < impulse.size(); ++j) {
    error = std::max(error, impulse.error_gain(j));
    feedback = std::max(feedback, model.eigenvalues[to_size(j)] * impulse.gain(j));
  }
  const double noise = p.alpha * p.alpha / batch, chi = noise * model.energy * feedback;
  return chi < 1.0 ? std::sqrt(noise * residual_energy * error / (1.0 - chi)) : infinity;
}

}  // namespace polyak::theory
