#include <algorithm>

#include "matrix/products.hpp"
#include "polyak/tomography.hpp"

namespace polyak::tomography {

// Pixels that no ray sees stay at zero and are left out of the quotients.
NormBounds norm_bounds(const RowMatrix& A, std::vector<double> weights, Index rounds, int threads) {
  ThreadTeam team(threads);
  Products products(A, weights, {}, team);
  const Index d = A.cols();
  const double zero = 0.0;
  const ConstView no_b{&zero, A.rows(), 1, 0};
  std::vector<double> v(to_size(d), 1.0), next(to_size(d));
  NormBounds out;
  for (Index round = 0; round < std::max<Index>(1, rounds); ++round) {
    double Av2 = 0.0, v2 = 0.0, largest = 0.0, highest = 0.0;
    products.full_gradient({v.data(), 1, d, d}, no_b, {next.data(), 1, d, d}, {&Av2, 1});
    for (std::size_t j = 0; j < v.size(); ++j) {
      v2 += v[j] * v[j];
      highest = std::max(highest, next[j]);
      if (v[j] > 0.0) largest = std::max(largest, next[j] / v[j]);
    }
    if (!(highest > 0.0)) return out;
    out.lower = std::max(out.lower, Av2 / v2);
    largest *= 1.0 + 1e-10;  // the sums were rounded
    out.upper = round == 0 ? largest : std::min(out.upper, largest);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = next[j] / highest;
  }
  return out;
}

}  // namespace polyak::tomography
