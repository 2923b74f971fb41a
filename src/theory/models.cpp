#include "theory/models.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "linalg/svd.hpp"
#include "polyak/error.hpp"
#include "theory/impulse.hpp"

namespace polyak::theory {
using namespace polyak::internal;
using namespace polyak::theory::internal;

namespace {

using Vector = std::vector<double>;

void check_spectrum(const Vector& l) {
  if (!l.empty() && *std::min_element(l.begin(), l.end()) > 0.0) return;
  throw Error(ErrorCode::usage, {.what = "a noise model needs the nonzero eigenvalues of A'A",
                                 .expected = "at least one, all positive"});
}

void check_square(const Vector& l, std::span<const double> matrix) {
  if (matrix.size() == l.size() * l.size()) return;
  throw Error(ErrorCode::usage, {.what = "the matrix of a noise model must be d x d",
                                 .found = std::to_string(matrix.size()) + " numbers",
                                 .expected = std::to_string(l.size() * l.size())});
}

// lmax of a symmetric matrix given by its entries.
template <class Entry>
double largest(Index d, Entry entry) {
  Vector M(to_size(d * d)), values(to_size(d));
  const View view{M.data(), d, d, d};
  for (Index i = 0; i < d; ++i) {
    for (Index j = i; j < d; ++j) view(i, j) = entry(i, j);
  }
  if (!symmetric_eigenvalues(view, values))
    throw Error(ErrorCode::internal, {.what = "the eigenvalues of a noise model did not converge"});
  return values.back();
}

using Vector = std::vector<double>;

// Whether entry k of a covariance is on the diagonal.
bool on_diagonal(std::size_t k, std::size_t width, std::size_t d) {
  return width == 1 || k % (d + 1) == 0;
}

}  // namespace

Model internal::named_model(std::string name, Vector eigenvalues) {
  check_spectrum(eigenvalues);
  Model model;
  model.name = std::move(name);
  model.energy = std::accumulate(eigenvalues.begin(), eigenvalues.end(), 0.0);
  model.eigenvalues = std::move(eigenvalues);
  return model;
}

// B_cert = alpha²·max_j l_j(E − l_j)Gam_j (docs/theory, 4.3); with a ridge the
// noise uses l_j and the impulse response l_j + ridge. If only the ends of the spectrum are known:
// without a ridge the maximum over the spectrum is at an end; with a ridge l(E − l) is at most
// (l + ridge)(E + ridge − (l + ridge)), whose maximum is at an end too.
Model worst_case_model(Vector eigenvalues, double energy) {
  Model model = named_model("worst-case", std::move(eigenvalues));
  model.certified = true;
  model.energy = energy;
  model.growth = [](const Model& m, const Impulse& impulse, Vector&) {
    double largest_growth = 0.0;
    for (Index j = 0; j < impulse.size(); ++j) {
      const double l = m.eigenvalues[to_size(j)], rest = std::max(0.0, m.energy - l);
      largest_growth =
          std::max(largest_growth, (m.ends_only ? l + m.ridge : l) * rest * impulse.gain(j));
    }
    return largest_growth;
  };
  return model;
}

Model worst_case_model(double lambda_min, double lambda_max, double energy) {
  Model model = worst_case_model({lambda_min, lambda_max}, energy);
  model.ends_only = true;
  return model;
}

// B_certS = alpha²·lmax(Gam o (S − H²)) (docs/theory, section 0).
Model spread_model(Vector eigenvalues, Vector S) {
  check_square(eigenvalues, S);
  Model model = named_model("spread", std::move(eigenvalues));
  model.certified = true;
  model.energy = spread_energy(model.eigenvalues, S);
  model.growth = [S = std::move(S)](const Model& m, const Impulse& impulse, Vector&) {
    const Index d = impulse.size();
    const double largest_growth = largest(d, [&](Index i, Index j) {
      const double l = m.eigenvalues[to_size(i)], square = i == j ? l * l : 0.0;
      return impulse.gain(i, j) * (S[to_size(i * d + j)] - square);
    });
    return std::max(0.0, largest_growth);
  };
  return model;
}

double spread_energy(std::span<const double> l, std::span<const double> S) {
  const Index d = std::ssize(l);
  return largest(d, [&](Index i, Index j) {
    return S[to_size(i * d + j)] / (std::sqrt(l[to_size(i)]) * std::sqrt(l[to_size(j)]));
  });
}

// B = alpha²·rho(diag(Gam)·K'), K' = K − diag(l²) (docs/theory, 4.3). The row
// sums Σ_j K_ij are the diagonal of S, which gives a lower bound of eta_H.
Model diag_model(Vector eigenvalues, const Vector& K, Vector residual_noise) {
  check_square(eigenvalues, K);
  Model model = named_model("diag", std::move(eigenvalues));
  const auto d = model.eigenvalues.size();
  auto rest = std::make_shared<Vector>(K);
  for (std::size_t j = 0; j < d; ++j) {
    const auto row = K.begin() + static_cast<std::ptrdiff_t>(j * d);
    const double S_jj = std::accumulate(row, row + static_cast<std::ptrdiff_t>(d), 0.0);
    model.energy = std::max(model.energy, S_jj / model.eigenvalues[j]);
    double& v = (*rest)[j * d + j];
    v = std::max(0.0, v - model.eigenvalues[j] * model.eigenvalues[j]);
  }
  use_diagonal_noise(
      model,
      [rest, d](std::span<const double> q, std::span<double> out) {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t j = 0; j < d; ++j) {  // K' is symmetric: row j is column j
          const double* row = rest->data() + j * d;
          for (std::size_t i = 0; i < d; ++i) out[i] += q[j] * row[i];
        }
      },
      std::move(residual_noise));
  return model;
}

void internal::use_diagonal_noise(Model& model, Apply K, Vector residual_noise) {
  model.width = 1;
  model.noise = [K = std::move(K), residual = std::move(residual_noise)](
                    std::span<const double> q, std::span<const double>, double residual2,
                    std::span<double> out) {
    K(q, out);
    if (residual2 == 0.0) return;
    if (residual.size() != out.size())
      throw Error(ErrorCode::usage,
                  {.what = "the model has no residual noise, which an inconsistent problem needs"});
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += residual2 * residual[j];
  };
  model.growth = leading_growth;
}

Vector internal::gain_roots(const Impulse& impulse, Index width) {
  const Index d = impulse.size();
  Vector roots(to_size(width * d));
  for (Index i = 0; i < width; ++i) {
    for (Index j = 0; j < d; ++j)
      roots[to_size(i * d + j)] = std::sqrt(width == 1 ? impulse.gain(j) : impulse.gain(i, j));
  }
  return roots;
}

Apply internal::balanced_noise(const Model& model, std::span<const double> roots) {
  return [&model, roots](std::span<const double> in, std::span<double> out) {
    Vector scaled(in.begin(), in.end());
    for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] *= roots[k];
    model.noise(scaled, {}, 0.0, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] *= roots[k];
  };
}

double internal::leading_growth(const Model& model, const Impulse& impulse, Vector& hint) {
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
