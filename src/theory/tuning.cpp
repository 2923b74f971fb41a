#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"
#include "theory/numerics.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

using Point = std::vector<double>;

struct Ends {
  double low, high;
};
Ends ends(const Model& model) {
  const auto [low, high] = std::minmax_element(model.eigenvalues.begin(), model.eigenvalues.end());
  return {*low + model.ridge, *high + model.ridge};
}

// Unconstrained coordinates: log alpha and log(x/(1 − x)), x = 1 − √beta.
Parameters parameters_at(const Point& point) {
  const double e = std::exp(-point[1]);
  return {std::exp(point[0]), e / (1.0 + e), 1.0 / (1.0 + e)};
}
Point point_of(const Parameters& p) {
  const double root = std::max(p.root, 1e-6);
  return {std::log(p.alpha), std::log(p.gap / root)};
}

// The recipe. For Nesterov the same fraction of its best step for exact gradients,
// alpha = 4/(3·lmax + lmin), beta = (1 − √(alpha·lmin))/(1 + √(alpha·lmin)).
Parameters first_guess(const Model& model, Method method, double batch) {
  const auto [low, high] = ends(model);
  const Parameters p = recipe(low, high, model.energy, batch);
  if (method == Method::heavy_ball) return p;
  const double share = p.alpha / heavy_ball_parameters(low, high).alpha;
  const double alpha = share * 4.0 / (3.0 * high + low), root = std::sqrt(alpha * low);
  return Parameters::of(alpha, (1.0 - root) / (1.0 + root));
}

// A rate is a maximum over eigenvalues and has kinks, on which the simplex collapses too early.
// So it is restarted at its end, with smaller edges of alternating sign; the exponent is then
// within about 1e-6 of the optimum.
Minimum search(const std::function<double(const Point&)>& f, Point start) {
  Minimum best = nelder_mead(f, std::move(start), 0.3, 1e-6, 120);
  for (const double step : {-0.1, 0.03, -0.01, 0.003, -0.001})
    best = nelder_mead(f, best.at, step, 1e-11, 60);
  return best;
}

}  // namespace

// alpha = a*·rho/(1 + rho), √beta = 1 − √(a*·lmin(rho + c)/(rho + 1)) with
// rho = B·√(lmax·lmin)/E (docs/theory, section 5).
Parameters recipe(double lmin, double lmax, double energy, double batch, double constant) {
  if (!(lmin > 0.0 && lmax >= lmin && energy > 0.0 && batch > 0.0))
    throw Error(
        ErrorCode::usage,
        {.what = "the recipe needs 0 < lambda_min <= lambda_max and a positive energy and batch"});
  const Parameters best = heavy_ball_parameters(lmin, lmax);
  const double rho = batch * (std::sqrt(lmax) / energy) * std::sqrt(lmin);
  const double gap = best.gap * std::sqrt((rho + constant) / (rho + 1.0));
  return Parameters::with_gap(best.alpha / (1.0 + 1.0 / rho), gap);
}

// Section 0, the safe rule, steps 3 to 5.
SafeRecipe safe_recipe(double lmin, double lmax, double energy, double batch, double constant) {
  constexpr double largest_q = 0.92;
  SafeRecipe out;
  out.parameters = recipe(std::clamp(lmin, 1e-12 * lmax, lmax), lmax, energy, batch, constant);
  const auto q = [&] { return stability_number(out.parameters, lmax, energy, batch); };
  for (; q() > largest_q; ++out.halvings) out.parameters.alpha *= 0.5;
  out.stability_number = q();
  return out;
}

// Minimises the logarithm of the number of steps per factor e, which has a similar scale for all
// kappa. The start is halved until stable: a small enough step is stable with any momentum < 1.
Tuned tune(const Model& model, Method method, double batch) {
  const auto log_steps = [&](const Point& point) {
    const double rate = rate_for_batch(model, method, parameters_at(point), batch);
    return rate < 1.0 ? -std::log(-std::log(rate)) : infinity;
  };
  Point start = point_of(first_guess(model, method, batch));
  for (int halvings = 0; log_steps(start) == infinity && halvings < 60; ++halvings)
    start[0] -= std::log(2.0);
  const Parameters best = parameters_at(search(log_steps, std::move(start)).at);
  return {best, rate_for_batch(model, method, best, batch), batch};
}

// Starts from the guess for one of many batches, the one that needs the smallest batch for the
// rate.
std::optional<Tuned> smallest_batch(const Model& model, Method method, double rate) {
  const auto needed = [&](const Point& point) {
    return std::log(batch_for_rate(model, method, parameters_at(point), rate));
  };
  Point start;
  double least = infinity;
  for (double batch = 1e-3; batch < 1e18; batch *= 4.0) {
    const Point guess = point_of(first_guess(model, method, batch));
    if (const double log_batch = needed(guess); log_batch < least) least = log_batch, start = guess;
  }
  if (start.empty()) return {};
  const Minimum best = search(needed, start);
  return Tuned{parameters_at(best.at), rate, std::exp(best.value)};
}

}  // namespace polyak::theory
