#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/solve_contest.hpp"
#include "matrix/products.hpp"

namespace polyak::bench {
namespace {

constexpr double least = 1e-17;  // a figure of 0 has no ratio to another

double norm(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

}  // namespace

Judge::Judge(const Problem& problem, ThreadTeam& team) : problem_(problem), team_(team) {
  std::vector<double> norms2(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, norms2, {});
  frobenius_ = std::sqrt(std::accumulate(norms2.begin(), norms2.end(), 0.0));
  double b2 = 0.0;
  for (Index i = 0; i < problem.rows(); ++i) b2 += problem.b()(i, 0) * problem.b()(i, 0);
  b_norm_ = std::sqrt(b2);
}

double Judge::error(ConstView x) const {
  const ConstView best = problem_.reference();
  double away = 0.0, size = 0.0;
  for (Index j = 0; j < best.cols; ++j) {
    away += std::pow(x(j, 0) - best(0, j), 2);
    size += best(0, j) * best(0, j);
  }
  return std::max(least, std::sqrt(away / size));
}

double Judge::backward_error(ConstView x) const {
  const Index d = problem_.cols();
  std::vector<double> at(to_size(d)), g(to_size(d)), residual2(1);
  for (Index j = 0; j < d; ++j) at[to_size(j)] = x(j, 0);
  Products(problem_.A(), {}, {}, team_)
      .full_gradient({at.data(), 1, d, d}, problem_.b(), {g.data(), 1, d, d}, residual2);
  const double r = std::sqrt(residual2[0]);
  if (r == 0.0) return least;
  const double fits = r / (frobenius_ * norm(at) + b_norm_), flat = norm(g) / (frobenius_ * r);
  return std::max(least, std::min(fits, flat));
}

}  // namespace polyak::bench
