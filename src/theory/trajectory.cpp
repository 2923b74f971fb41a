#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "polyak/error.hpp"
#include "theory/impulse.hpp"
#include "theory/models.hpp"

namespace polyak::theory {
using namespace polyak::theory::internal;

namespace {

using Vector = std::vector<double>;

// The second moments P = E ee', C = E ee₋', Q = E e₋e₋' and the mean m = E e in the eigenbasis,
// as full matrices or (width 1) as diagonals (docs/theory, 4.1):
//   P₊ = tPt − tCb − bC't + bQb + (alpha²/B)·N(Y),  C₊ = tP − bC',  Q₊ = P,
// where N is evaluated at the covariance Y of the point y = now·e − before·e₋.
class Moments {
 public:
  Moments(const Model& model, Method method, const Parameters& p, double batch, const Start& start)
      : model_(model),
        point_(gradient_point(method, p)),
        noise_(p.alpha * p.alpha / batch),
        residual2_(start.residual_norm * start.residual_norm) {
    for (const double l : model.eigenvalues) blocks_.push_back(block(method, p, l + model.ridge));
    set_start(start.components);
    Y_.resize(P_.size());
    N_.resize(P_.size());
  }

  double mean_square() const {
    double sum = 0.0;
    for (Index j = 0; j < size(); ++j) sum += P_[at(rows() == 1 ? 0 : j, j)];
    return sum;
  }

  void step() {
    add_noise_of_point();
    const Vector P = P_, C = C_;
    for (Index i = 0; i < rows(); ++i) {
      for (Index j = 0; j < size(); ++j) {
        const Block a = row_block(i, j), b = blocks_[to_size(j)];
        const double c = C[at(i, j)], c_t = C[mirrored(i, j)], before = P[at(i, j)];
        P_[at(i, j)] = a.t * before * b.t - a.t * c * b.b - a.b * c_t * b.t +
                       a.b * Q_[at(i, j)] * b.b + noise_ * N_[at(i, j)];
        C_[at(i, j)] = a.t * before - a.b * c_t;
      }
    }
    Q_ = P;
    symmetrise();
    step_mean();
  }

 private:
  Index size() const { return std::ssize(blocks_); }
  Index rows() const { return model_.width; }
  std::size_t at(Index i, Index j) const { return to_size(i * size() + j); }
  std::size_t mirrored(Index i, Index j) const { return rows() == 1 ? at(i, j) : at(j, i); }
  Block row_block(Index i, Index j) const { return blocks_[to_size(rows() == 1 ? j : i)]; }

  // Start from x_1 = x_0: P = C = Q.
  void set_start(Vector e) {
    const double spread = 1.0 / static_cast<double>(size());
    if (!e.empty() && std::ssize(e) != size())
      throw Error(ErrorCode::usage, {.what = "the start must have one component per eigenvalue"});
    P_.assign(to_size(rows() * size()), 0.0);
    for (Index i = 0; i < rows(); ++i) {
      for (Index j = 0; j < size(); ++j) {
        const Index row = rows() == 1 ? j : i;
        P_[at(i, j)] = e.empty() ? (row == j ? spread : 0.0) : e[to_size(row)] * e[to_size(j)];
      }
    }
    C_ = Q_ = P_;
    mean_ = e.empty() ? Vector(to_size(size()), 0.0) : std::move(e);
    mean_before_ = mean_;
  }

  void add_noise_of_point() {
    const auto [now, before] = point_;
    Vector m(mean_.size());
    for (std::size_t j = 0; j < m.size(); ++j) m[j] = now * mean_[j] - before * mean_before_[j];
    for (Index i = 0; i < rows(); ++i) {
      for (Index j = 0; j < size(); ++j) {
        const std::size_t k = at(i, j);
        Y_[k] = now * now * P_[k] - now * before * (C_[k] + C_[mirrored(i, j)]) +
                before * before * Q_[k];
      }
    }
    model_.noise(Y_, m, residual2_, N_);
  }

  // Rounding leaves an antisymmetric part, which would grow by a factor up to |t_i·t_j| per step.
  void symmetrise() {
    if (rows() == 1) return;
    for (Index i = 0; i < size(); ++i) {
      for (Index j = 0; j < i; ++j)
        P_[at(i, j)] = P_[at(j, i)] = 0.5 * (P_[at(i, j)] + P_[at(j, i)]);
    }
  }

  void step_mean() {
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      const double next = blocks_[j].t * mean_[j] - blocks_[j].b * mean_before_[j];
      mean_before_[j] = std::exchange(mean_[j], next);
    }
  }

  const Model& model_;
  GradientPoint point_;
  double noise_, residual2_;
  std::vector<Block> blocks_;
  Vector P_, C_, Q_, Y_, N_, mean_, mean_before_;
};

void need_noise(const Model& model) {
  if (model.width > 0) return;
  throw Error(ErrorCode::usage, {.what = "the model " + model.name + " has no trajectories"});
}

}  // namespace

std::vector<double> mean_square_trajectory(const Model& model, Method method, const Parameters& p,
                                           double batch, const Start& start, Index steps) {
  need_noise(model);
  Moments moments(model, method, p, batch, start);
  Vector out(to_size(steps + 1), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (k > 0) moments.step();
    const double mean_square = moments.mean_square();
    if (!std::isfinite(mean_square)) break;  // overflow: the rest stays infinite
    out[k] = mean_square;
  }
  return out;
}

// In the limit Y = (alpha²/B)·Gam(1) o (N(Y) + R), R the contribution of the residual, and
// E‖e‖² = (alpha²/B)·Σ_j S_j(1)·(N(Y) + R)_jj (docs/theory, 4.5). With Y = D^1/2·Z the
// first is (B/alpha² − D^1/2·N·D^1/2)Z = D^1/2·R: symmetric, and positive definite if stable.
double horizon(const Model& model, Method method, const Parameters& p, double batch,
               double residual_norm) {
  need_noise(model);
  const double infinity = std::numeric_limits<double>::infinity();
  if (!(stability_threshold(model, method, p) < batch)) return infinity;
  const Impulse impulse(method, p, model.eigenvalues, model.ridge, 1.0);
  const Vector roots = gain_roots(impulse, model.width), zero(model.eigenvalues.size(), 0.0);
  Vector state(roots.size(), 0.0), noise(roots.size());
  const double residual2 = residual_norm * residual_norm;
  if (residual2 == 0.0) return 0.0;
  model.noise(state, zero, residual2, noise);
  for (std::size_t k = 0; k < noise.size(); ++k) noise[k] *= roots[k];
  state = solve_shifted(balanced_noise(model, roots), batch / p.alpha / p.alpha, noise);
  for (std::size_t k = 0; k < state.size(); ++k) state[k] *= roots[k];
  model.noise(state, zero, residual2, noise);
  double sum = 0.0;
  for (Index j = 0; j < impulse.size(); ++j)
    sum += impulse.error_gain(j) * noise[to_size(model.width == 1 ? j : j * (model.width + 1))];
  return p.alpha * std::sqrt(std::max(0.0, sum) / batch);
}

}  // namespace polyak::theory
