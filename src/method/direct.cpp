#include <cmath>

#include "method/method.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// Householder QR of A by blocks of rows, then the minimum norm solution of the
// small triangular problem by its singular values. One iteration.
class Direct final : public Method {
 public:
  explicit Direct(const Setting& setting) : Method(setting, 1) {}

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) {
      const Problem& problem = setting_.problem;
      const auto result = qr_least_squares(problem.A(), problem.b(), problem.weights(),
                                           problem.ridge(), setting_.products.team(),
                                           setting_.facts.scale);
      state_.vectors[0] = result.x;
      state_.row_products = problem.rows();
    }
    state_.iteration = last;
  }

  bool finished() const override { return state_.iteration > 0; }
};

}  // namespace

std::unique_ptr<Method> make_direct(const Setting& setting) {
  return std::make_unique<Direct>(setting);
}

}  // namespace polyak
