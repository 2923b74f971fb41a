#include <algorithm>

#include "method/method.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// Householder QR of A by blocks of rows, then the minimum norm solution of the
// small triangular problem by its singular values. One iteration.
//
// Where the solution is not unique it is the one nearest to x0, as for every
// other method: the correction to x0 is what has minimum norm.
class Direct final : public Method {
 public:
  explicit Direct(const Setting& setting) : Method(setting, 1) {}

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) {
      solve();
      state_.row_products = setting_.problem.rows();
    }
    state_.iteration = last;
  }

  bool finished() const override { return state_.iteration > 0; }

 private:
  void solve() {
    const Problem& problem = setting_.problem;
    std::vector<double>& x = state_.vectors[0];
    const bool from_zero = std::all_of(x.begin(), x.end(), [](double v) { return v == 0.0; });
    if (from_zero || ridge_ > 0.0) {
      x = factor_and_solve(problem.b());
    } else {
      std::vector<double> rest(to_size(problem.rows() * columns_));
      subtract_start({rest.data(), problem.rows(), columns_, columns_});
      const auto correction = factor_and_solve({rest.data(), problem.rows(), columns_, columns_});
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
    }
    // Not even rounding moves what A does not see.
    for (Index j : setting_.facts.zero_columns)
      for (Index c = 0; c < columns_; ++c)
        block(0)(c, j) = ridge_ > 0.0 ? 0.0 : problem.x0()(c, j);
  }

  void subtract_start(View rest) {  // b − A·x0
    const Problem& problem = setting_.problem;
    setting_.products.for_row_chunks([&](Index, Index first, Index last) {
      problem.A().multiply(first, last, block(0),
                           {rest.row(first), last - first, columns_, columns_});
      for (Index i = first; i < last; ++i)
        for (Index c = 0; c < columns_; ++c) rest(i, c) = problem.b()(i, c) - rest(i, c);
    });
  }

  std::vector<double> factor_and_solve(ConstView b) {
    const Problem& problem = setting_.problem;
    auto result = qr_least_squares(problem.A(), b, problem.weights(), problem.ridge(),
                                   setting_.products.team(), setting_.facts.scale);
    if (!result.ok)
      throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
    return std::move(result.x);
  }
};

}  // namespace

std::unique_ptr<Method> make_direct(const Setting& setting) {
  return std::make_unique<Direct>(setting);
}

}  // namespace polyak
