#include <cmath>

#include "polyak/theory.hpp"

namespace polyak::theory {

// Paper, table (tab:compare). ARK's printed d·√kappa_bar holds for n = O(d);
// Liu and Wright's own rate is √(n·d·kappa_bar), and with the right nu it is
// √(nu·d·kappa_bar) (docs/theory, E11). With alpha = 1/lambda_max and
// √beta = 1 − 1/√kappa, 2·eta·d·kappa_bar/√kappa rows are enough (4.4).
std::vector<TableRow> iteration_table(const MatrixNumbers& n, Index rows,
                                      std::optional<double> nu) {
  check(n);
  const double d = static_cast<double>(n.cols), root_kappa = std::sqrt(n.kappa());
  const double dk = d * n.kappa_bar(), count = static_cast<double>(rows);
  std::vector<TableRow> out = {{"HBM", root_kappa, count},
                               {"RK", n.eta * dk, 1.0},
                               {"ARK, printed", d * std::sqrt(n.kappa_bar()), 1.0},
                               {"ARK, Liu and Wright", std::sqrt(count * dk), 1.0}};
  if (nu) out.push_back({"ARK, corrected", std::sqrt(*nu * dk), 1.0});
  out.push_back({"Minibatch-HBM, printed", root_kappa, n.eta * std::log(d) * dk * root_kappa});
  out.push_back({"Minibatch-HBM, step 1/lambda_max", root_kappa, 2.0 * n.eta * dk / root_kappa});
  return out;
}

}  // namespace polyak::theory
