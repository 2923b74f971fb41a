#include <Eigen/Core>

#include "bench/peers.hpp"

namespace polyak::bench {

void eigen_gradient(ConstView A, ConstView b, std::span<const Index> rows,
                    std::span<const double> weights, const double* x, double* g) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const Vector xs(x, A.cols);
  Eigen::Map<Eigen::VectorXd> sum(g, A.cols);
  sum.setZero();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Vector a(A.row(rows[t]), A.cols);
    sum += (weights[t] * (a.dot(xs) - b(rows[t], 0))) * a;
  }
}

}  // namespace polyak::bench
