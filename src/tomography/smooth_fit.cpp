#include "tomography/smooth_fit.hpp"

#include <algorithm>
#include <cmath>

namespace polyak::tomography {
namespace {

constexpr int prox_steps =
    20;  // of a dual that is kept; with 8 the momentum keeps its errors alive

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

}  // namespace polyak::tomography
