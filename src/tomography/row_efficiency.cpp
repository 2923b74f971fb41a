#include "tomography/row_efficiency.hpp"

#include <algorithm>

#include "matrix/products.hpp"

namespace polyak::tomography {

Energy energy_of(const Problem& problem, const std::string& sampling, int threads) {
  const Index n = problem.rows();
  std::vector<double> norms(to_size(n));
  ThreadTeam team(threads);
  Products(problem.A(), {}, {}, team).for_row_chunks([&](Index, Index first, Index last) {
    problem.A().norms(first, last, 1.0, {norms.data() + first, to_size(last - first)}, {});
  });
  Energy out;
  double largest = 0.0, nonzero = 0.0;
  for (Index i = 0; i < n; ++i) {
    double& v = norms[to_size(i)];
    if (!problem.weights().empty()) v *= problem.weights()[to_size(i)];
    out.frobenius2 += v;
    nonzero += v > 0.0;
    largest = std::max(largest, v);
  }
  for (double v : norms) {
    const double p = sampling == "row-norm"  ? v / out.frobenius2
                     : sampling == "uniform" ? 1.0 / nonzero
                                             : 0.5 * v / out.frobenius2 + 0.5 / nonzero;
    if (v > 0.0) out.sampled = std::max(out.sampled, v / p);
  }
  return out;
}

theory::Parameters for_row_efficiency(double lambda_max, double energy, double batch) {
  constexpr double wanted = 0.5;
  const double plain = 2.0 * wanted * batch / (energy + wanted * lambda_max * batch);
  if (plain * lambda_max <= 1.0) return theory::Parameters::of(plain, 0.0);
  double low = 0.0, high = 0.9999;  // q grows with beta
  for (int k = 0; k < 60; ++k) {
    const double beta = 0.5 * (low + high);
    const auto p = theory::Parameters::of(1.0 / lambda_max, beta);
    (theory::stability_number(p, lambda_max, energy, batch) < wanted ? low : high) = beta;
  }
  return theory::Parameters::of(1.0 / lambda_max, low);
}

}  // namespace polyak::tomography
