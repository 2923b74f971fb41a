#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"
#include "theory/search.hpp"

namespace polyak::theory {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double batch_with_hint(const Model& model, Method method, const Parameters& p, double r,
                       std::vector<double>& hint) {
  // Beyond 1 the ends of the spectrum decide nothing, but B(r) decreases.
  const double used = model.ends_only ? std::min(r, 1.0) : r;
  const Impulse impulse(method, p, model.eigenvalues, model.ridge, used);
  if (!impulse.exists()) return infinity;
  const double B = p.alpha * (p.alpha * model.growth(model, impulse, hint));
  return std::isnan(B) ? infinity : B;
}

}  // namespace

double batch_for_rate(const Model& model, Method method, const Parameters& p, double r) {
  std::vector<double> hint;
  return batch_with_hint(model, method, p, r, hint);
}

double stability_threshold(const Model& model, Method method, const Parameters& p) {
  return batch_for_rate(model, method, p, 1.0);
}

// B(r) = B on (rho(T), inf): in log(r − rho(T)) the logarithm of B(r) is nearly a
// straight line at both ends.
double rate_for_batch(const Model& model, Method method, const Parameters& p, double batch) {
  if (!(batch > 0.0))
    throw Error(ErrorCode::usage, {.what = "a batch is positive", .found = std::to_string(batch)});
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

}  // namespace polyak::theory
