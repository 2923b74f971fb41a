#include "theory/diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"

namespace polyak::theory {
namespace {

using Vector = std::vector<double>;

// Entries of the identity in the layout of a state.
bool on_diagonal(std::size_t k, std::size_t width, std::size_t d) {
  return width == 1 || k % (d + 1) == 0;
}

}  // namespace

void use_diagonal_noise(Model& model, Apply K, Vector residual_noise) {
  model.width = 1;
  model.noise = [K = std::move(K), residual = std::move(residual_noise)](
                    std::span<const double> q, std::span<const double>, double residual2,
                    std::span<double> out) {
    K(q, out);
    if (residual2 == 0.0) return;
    if (residual.size() != out.size())
      throw Error(ErrorCode::usage, {.what = "this model was made without the residual's noise"});
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += residual2 * residual[j];
  };
  model.growth = leading_growth;
}

Vector gain_roots(const Impulse& impulse, Index width) {
  const Index d = impulse.size();
  Vector roots(to_size(width * d));
  for (Index i = 0; i < width; ++i) {
    for (Index j = 0; j < d; ++j)
      roots[to_size(i * d + j)] = std::sqrt(width == 1 ? impulse.gain(j) : impulse.gain(i, j));
  }
  return roots;
}

Apply balanced_noise(const Model& model, std::span<const double> roots) {
  return [&model, roots](std::span<const double> in, std::span<double> out) {
    Vector scaled(in.begin(), in.end());
    for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] *= roots[k];
    model.noise(scaled, {}, 0.0, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] *= roots[k];
  };
}

double leading_growth(const Model& model, const Impulse& impulse, Vector& hint) {
  const Vector roots = gain_roots(impulse, model.width);
  const auto d = to_size(impulse.size()), width = to_size(model.width);
  hint.resize(roots.size(), 0.0);
  double trace = 0.0;
  for (std::size_t k = 0; k < hint.size(); ++k) trace += on_diagonal(k, width, d) ? hint[k] : 0.0;
  const double mixed = trace == 0.0 ? 1.0 : 0.01 * trace / static_cast<double>(d);
  for (std::size_t k = 0; k < hint.size(); ++k) hint[k] += on_diagonal(k, width, d) ? mixed : 0.0;
  return std::max(0.0, largest_eigenvalue(balanced_noise(model, roots), hint));
}

}  // namespace polyak::theory
