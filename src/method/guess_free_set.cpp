#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "linalg/factor.hpp"
#include "method/free_set.hpp"

namespace polyak {
namespace {

constexpr double slack = 1e-12;  // of a gradient beside √H_jj and the size of the problem
constexpr int patience = 3;      // rounds without fewer broken conditions

class Pivoting {
 public:
  Pivoting(ConstView H, std::span<const double> q, Limits limits, std::span<const char> movable,
           FreeSet& set)
      : H_(H), q_(q), limits_(limits), movable_(movable), set_(set), g_(q.size()) {}

  // All free at first: the unconstrained minimum tells most about the sides.
  bool run() {
    set_.free.assign(movable_.begin(), movable_.end());
    std::size_t fewest = q_.size() + 1;
    for (int left = patience; left >= 0;) {
      if (!minimise()) return fewest <= q_.size() && project();
      gradient();
      const std::vector<Index> broken = broken_conditions();
      if (broken.empty()) return project();
      left = broken.size() < fewest ? patience : left - 1;
      fewest = std::min(fewest, broken.size());
      for (Index j : broken) change_side(j);
    }
    return project();
  }

 private:
  double lower(Index j) const { return limits_.lower[to_size(j)]; }
  double upper(Index j) const { return limits_.upper[to_size(j)]; }
  double& x(Index j) { return set_.x[to_size(j)]; }

  void gradient() {  // g = Hx − q
    for (std::size_t j = 0; j < g_.size(); ++j) g_[j] = -q_[j];
    for (Index i = 0; i < H_.rows; ++i) {
      const double *row = H_.row(i), factor = x(i);
      if (factor == 0.0) continue;
      for (std::size_t j = 0; j < g_.size(); ++j) g_[j] += factor * row[j];
    }
  }

  // H_FF z = q_F − H_FB x_B.
  bool minimise() {
    const std::vector<double> before = set_.x;
    std::vector<Index> F;
    for (Index j = 0; j < H_.rows; ++j)
      if (set_.free[to_size(j)]) F.push_back(j), x(j) = 0.0;
    gradient();
    const Index k = std::ssize(F);
    Buffer R(k, k), z(1, k);
    for (Index i = 0; i < k; ++i) {
      const double* row = H_.row(F[to_size(i)]);
      for (Index c = i; c < k; ++c) R.view()(i, c) = row[F[to_size(c)]];
      z.data()[i] = -g_[to_size(F[to_size(i)])];
    }
    if (!cholesky(R.view())) {
      set_.x = before;
      return false;
    }
    solve_right(R.view(), z.view());
    solve_right(R.view(), z.view(), Transpose::yes);
    for (Index i = 0; i < k; ++i) x(F[to_size(i)]) = z.data()[i];
    return true;
  }

  // A free unknown beyond a limit, or one at a limit with a gradient that points inward.
  std::vector<Index> broken_conditions() {
    double size = 0.0;
    for (Index j = 0; j < H_.rows; ++j)
      size = std::max({size, std::sqrt(H_(j, j)) * std::abs(x(j)),
                       H_(j, j) > 0.0 ? std::abs(q_[to_size(j)]) / std::sqrt(H_(j, j)) : 0.0});
    std::vector<Index> out;
    for (Index j = 0; j < H_.rows; ++j) {
      if (!movable_[to_size(j)]) continue;
      const double g = g_[to_size(j)], noise = slack * std::sqrt(H_(j, j)) * size;
      const bool broken = set_.free[to_size(j)] ? x(j) < lower(j) || x(j) > upper(j)
                          : x(j) <= lower(j)    ? g < -noise
                                                : g > noise;
      if (broken) out.push_back(j);
    }
    return out;
  }

  void change_side(Index j) {
    char& free = set_.free[to_size(j)];
    if (free) x(j) = std::clamp(x(j), lower(j), upper(j));
    free = !free;
  }

  bool project() {
    for (Index j = 0; j < H_.rows; ++j) {
      x(j) = std::clamp(x(j), lower(j), upper(j));
      if (x(j) <= lower(j) || x(j) >= upper(j)) set_.free[to_size(j)] = 0;
    }
    return true;
  }

  ConstView H_;
  std::span<const double> q_;
  Limits limits_;
  std::span<const char> movable_;
  FreeSet& set_;
  std::vector<double> g_;
};

}  // namespace

bool guess_free_set(ConstView H, std::span<const double> q, Limits limits,
                    std::span<const char> movable, FreeSet& set) {
  return Pivoting(H, q, limits, movable, set).run();
}

}  // namespace polyak
