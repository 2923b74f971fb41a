#include <algorithm>
#include <cmath>

#include "tomography/reconstruct/tv.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

// Steps of the proximal map per iteration; with 8 the momentum amplifies their errors.
constexpr int prox_steps = 20;

View row_of(std::vector<double>& v) { return {v.data(), 1, std::ssize(v), std::ssize(v)}; }

}  // namespace

SmoothFit::SmoothFit(Products& products, ConstView b, const ImageGrid& image)
    : products_(products),
      b_(b),
      prox_(image, products.team()),
      x_(to_size(image.size()), 1.0),
      next_(x_.size()),
      g_(x_.size()) {
  const std::vector<double> nothing(to_size(products.A().rows()), 0.0);
  double unused = 0.0;
  products.full_gradient(row_of(x_), {nothing.data(), std::ssize(nothing), 1, 1}, row_of(g_),
                         {&unused, 1});
  curvature_ = *std::max_element(g_.begin(), g_.end());
}

void SmoothFit::begin(std::vector<double> x) {
  x_ = std::move(x);
  ahead_ = x_;
  momentum_ = 1.0;
}

void SmoothFit::set_state(const std::vector<std::vector<double>>& state) {
  x_ = state[0];
  ahead_ = state[1];
  prox_.set_dual(state[2]);
  momentum_ = state[3][0];
}

double SmoothFit::step(double lambda) {
  double unused = 0.0;
  products_.full_gradient(row_of(ahead_), b_, row_of(g_), {&unused, 1});
  for (std::size_t j = 0; j < g_.size(); ++j) g_[j] = ahead_[j] - g_[j] / curvature_;
  prox_.apply(g_, lambda / curvature_, prox_steps, next_);
  double uphill = 0.0, change2 = 0.0;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    uphill += (ahead_[j] - next_[j]) * (next_[j] - x_[j]);
    change2 += (next_[j] - x_[j]) * (next_[j] - x_[j]);
  }
  if (uphill > 0.0) momentum_ = 1.0;
  const double longer = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
  const double beta = (momentum_ - 1.0) / longer;
  momentum_ = longer;
  for (std::size_t j = 0; j < x_.size(); ++j) ahead_[j] = next_[j] + beta * (next_[j] - x_[j]);
  std::swap(x_, next_);
  return std::sqrt(curvature_ * change2);
}

VariationProx::VariationProx(const ImageGrid& image, ThreadTeam& team)
    : grid_(image), team_(team), dual_(to_size(2 * image.size()), 0.0) {}

// One row of x = P(v − mu·∇ᵀp), (∇ᵀp)_j = right_(j−1) − right_j + down_above − down_j.
void VariationProx::image_row(Index i, const std::vector<double>& p, const std::vector<double>& v,
                              double mu, std::vector<double>& x) const {
  const Index cols = grid_.cols, at = i * cols;
  const double *right = p.data() + at, *down = right + grid_.size();
  const double *in = v.data() + at, *above = i > 0 ? down - cols : nullptr;
  double* out = x.data() + at;
  for (Index j = 0; j < cols; ++j) out[j] = in[j] + mu * (right[j] + down[j]);
  for (Index j = 1; j < cols; ++j) out[j] -= mu * right[j - 1];
  for (Index j = 0; j < cols && above; ++j) out[j] -= mu * above[j];
  if (lower_.empty()) return;
  for (Index j = 0; j < cols; ++j)
    out[j] = std::clamp(out[j], lower_[to_size(at + j)], upper_[to_size(at + j)]);
}

// One row of the dual step from the extrapolated point; without a neighbour the dual stays 0.
void VariationProx::ascend_row(Index i, const std::vector<double>& x, double step,
                               double momentum) {
  const Index cols = grid_.cols, at = i * cols, d = grid_.size();
  const double *here = x.data() + at, *below = i + 1 < grid_.rows ? here + cols : here;
  double *right = dual_.data() + at, *down = right + d;
  double *right_ahead = ahead_.data() + at, *down_ahead = right_ahead + d;
  const auto update = [&](Index j, double to_the_right) {
    const double r = right_ahead[j] + step * to_the_right;
    const double s = down_ahead[j] + step * (below[j] - here[j]);
    const double shorter = 1.0 / std::max(1.0, std::sqrt(r * r + s * s));
    right_ahead[j] = r * shorter + momentum * (r * shorter - right[j]);
    down_ahead[j] = s * shorter + momentum * (s * shorter - down[j]);
    right[j] = r * shorter;
    down[j] = s * shorter;
  };
  for (Index j = 0; j + 1 < cols; ++j) update(j, here[j + 1] - here[j]);
  update(cols - 1, 0.0);
}

// Each row is written by one task only, so the bits do not depend on the number of threads.
template <class Row>
void VariationProx::for_rows(Row row) {
  const Index rows_per_job = std::max<Index>(1, 8192 / grid_.cols);
  team_.run((grid_.rows + rows_per_job - 1) / rows_per_job, [&](Index job) {
    const Index last = std::min(grid_.rows, (job + 1) * rows_per_job);
    for (Index i = job * rows_per_job; i < last; ++i) row(i);
  });
}

void VariationProx::apply(const std::vector<double>& v, double mu, int steps,
                          std::vector<double>& x) {
  ahead_ = dual_;
  double t = 1.0;
  for (int k = 0; k < steps; ++k) {
    const double longer = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    for_rows([&](Index i) { image_row(i, ahead_, v, mu, x); });
    for_rows([&](Index i) { ascend_row(i, x, 1.0 / (8.0 * mu), (t - 1.0) / longer); });
    t = longer;
  }
  for_rows([&](Index i) { image_row(i, dual_, v, mu, x); });
}

}  // namespace polyak::tomography::internal
