// The two steps of BoundedLeastSquares: a guess of the free unknowns, then the exact set.

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/buffer.hpp"
#include "linalg/column_qr.hpp"
#include "linalg/factor.hpp"
#include "method/bounded_least_squares.hpp"

namespace polyak::internal {
namespace {

constexpr double slack = 1e-12;  // of a gradient, relative to √H_jj and the size of the problem
constexpr int patience = 3;      // rounds in which no fewer conditions are violated

class Pivoting {
 public:
  Pivoting(ConstView H, std::span<const double> q, Limits limits, std::span<const char> movable,
           FreeSet& set)
      : H_(H), q_(q), limits_(limits), movable_(movable), set_(set), g_(q.size()) {}

  // All are free at first: the unconstrained minimum is the best guess of the sides.
  bool run() {
    set_.free.assign(movable_.begin(), movable_.end());
    std::size_t fewest = q_.size() + 1;
    for (int left = patience; left >= 0;) {
      if (!minimise()) return fewest <= q_.size() && project();
      gradient();
      const std::vector<Index> violated = violations();
      if (violated.empty()) return project();
      left = violated.size() < fewest ? patience : left - 1;
      fewest = std::min(fewest, violated.size());
      for (Index j : violated) change_side(j);
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
  std::vector<Index> violations() {
    double size = 0.0;
    for (Index j = 0; j < H_.rows; ++j)
      size = std::max({size, std::sqrt(H_(j, j)) * std::abs(x(j)),
                       H_(j, j) > 0.0 ? std::abs(q_[to_size(j)]) / std::sqrt(H_(j, j)) : 0.0});
    std::vector<Index> out;
    for (Index j = 0; j < H_.rows; ++j) {
      if (!movable_[to_size(j)]) continue;
      const double g = g_[to_size(j)], noise = slack * std::sqrt(H_(j, j)) * size;
      const bool violated = set_.free[to_size(j)] ? x(j) < lower(j) || x(j) > upper(j)
                            : x(j) <= lower(j)    ? g < -noise
                                                  : g > noise;
      if (violated) out.push_back(j);
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

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// Lawson and Hanson's NNLS, and Stark and Parker's BVLS where there are two limits: to the
// minimiser over the free unknowns, up to the first limit met; there, the unknown whose
// joining lowers the objective most joins. Columns that depend on the free ones never do.
class Exchange {
 public:
  Exchange(ConstView M, std::span<const double> s, Limits limits, std::span<const double> norms,
           std::span<const char> movable, FreeSet& set)
      : qr_(M, s),
        limits_(limits),
        norms_(norms),
        movable_(movable),
        set_(set),
        s_norm_(norm(s.data(), std::ssize(s))),
        slack_(eps * (8.0 + std::sqrt(static_cast<double>(M.rows)))),
        refused_(norms.size(), 0) {
    for (double n : norms) least_.push_back(dependent_share(M) * n);
  }

  // Updates of a factor leave more rounding than a new one: the set they end at is factored
  // and checked again.
  void run() {
    constexpr int max_factors = 4;
    start();
    for (int factors = 1;; ++factors) {
      exchange();
      if ((factored_ && qr_.changes() == 0) || factors == max_factors) break;
      refactor();
    }
  }

  bool full_rank() const { return full_rank_; }

  // Unknowns that can move without a larger residual: free, or with a zero gradient.
  std::vector<Index> without_gradient() {
    std::vector<Index> out;
    qr_.reduce(set_.x, t_);
    qr_.gradients(t_, g_, distance_);
    const double left = norm(t_.data() + qr_.count(), qr_.rows() - qr_.count()), all = size();
    for (Index j = 0; j < qr_.cols(); ++j)
      if (movable_[to_size(j)] &&
          (qr_.holds(j) || std::abs(g_[to_size(j)]) <= noise(to_size(j), left, all)))
        out.push_back(j);
    return out;
  }

 private:
  double lower(Index j) const { return limits_.lower[to_size(j)]; }
  double upper(Index j) const { return limits_.upper[to_size(j)]; }
  double& x(Index j) { return set_.x[to_size(j)]; }

  void start() {
    std::vector<Index> free;
    for (Index j = 0; j < qr_.cols(); ++j)
      if (set_.free[to_size(j)]) free.push_back(j);
    if (!free.empty()) factor(std::move(free));  // otherwise M is its own factor
  }

  void refactor() {
    const auto order = qr_.order();
    factor({order.begin(), order.begin() + qr_.count()});
  }

  void factor(std::vector<Index> free) {
    std::vector<Index> dependent;
    factored_ = true;
    full_rank_ = qr_.factor(free, least_, dependent);
    if (dependent.empty()) return;
    std::erase_if(free, [&](Index j) {
      return std::find(dependent.begin(), dependent.end(), j) != dependent.end();
    });
    qr_.factor(free, least_, dependent);
  }

  // Ends where no gradient points inward by more than rounding. If rounding leads to a cycle,
  // the threshold for rounding grows until the cycle ends.
  void exchange() {
    const Index round = 3 * qr_.cols() + 30;
    Index entered = -1, until = round;
    for (Index steps = 0;; ++steps) {
      if (steps == until) slack_ *= 10.0, until += round;
      qr_.reduce(set_.x, t_);
      qr_.solve(t_, z_);
      if (entered >= 0 && turns_back(entered)) {
        refused_[to_size(entered)] = 1;
        qr_.remove(entered);
        entered = -1;
        continue;
      }
      if (entered >= 0) std::fill(refused_.begin(), refused_.end(), char{0});
      entered = -1;
      if (!move()) continue;
      entered = steepest();
      if (entered < 0) return;
      enters_up_ = g_[to_size(entered)] < 0.0;
      qr_.add(entered);
    }
  }

  // The step of a column that hardly differs from the free ones may, by rounding, point out of
  // the limit where its unknown is.
  bool turns_back(Index j) {
    const double step = z_[to_size(qr_.count() - 1)] - x(j);
    return enters_up_ ? !(step > 0.0) : !(step < 0.0);
  }

  // From x towards the minimiser z over the free unknowns, up to the first limit. Those
  // that meet it are free no longer; true when none did.
  bool move() {
    const Index k = qr_.count();
    const std::vector<Index> free(qr_.order().begin(), qr_.order().begin() + k);
    double step = 1.0;
    for (Index p = 0; p < k; ++p)
      step = std::min(step, share_within(x(free[to_size(p)]), free[to_size(p)], z_[to_size(p)]));
    for (Index p = 0; p < k; ++p) {
      const Index j = free[to_size(p)];
      const double target = z_[to_size(p)], before = x(j);
      x(j) = step == 1.0 ? target : before + step * (target - before);
      if (step < 1.0 && share_within(before, j, target) <= step)
        x(j) = target < before ? lower(j) : upper(j);
      x(j) = std::clamp(x(j), lower(j), upper(j));
    }
    for (Index j : free)
      if (x(j) <= lower(j) || x(j) >= upper(j)) qr_.remove(j);
    return qr_.count() == k || step == 1.0;
  }

  // The part of the way to the target that lies within the limits.
  double share_within(double from, Index j, double target) const {
    if (target < lower(j)) return (lower(j) - from) / (target - from);
    if (target > upper(j)) return (upper(j) - from) / (target - from);
    return 1.0;
  }

  // ‖s‖ + Σ‖m_j‖|x_j|: rounding of the residual is relative to it.
  double size() {
    double sum = s_norm_;
    for (std::size_t j = 0; j < set_.x.size(); ++j) sum += norms_[j] * std::abs(set_.x[j]);
    return sum;
  }

  // g_j = w_jᵀρ, where w_j and ρ are the parts of the column and of s orthogonal to the free
  // columns. Their entries have errors of eps‖m_j‖ and eps·size.
  double noise(std::size_t j, double left, double all) const {
    return slack_ * (norms_[j] * left + distance_[j] * all);
  }

  // The unknown whose joining lowers the objective most, by g²/2‖w_j‖²; -1 if there is none.
  Index steepest() {
    qr_.reduce(set_.x, t_);
    qr_.gradients(t_, g_, distance_);
    const double left = norm(t_.data() + qr_.count(), qr_.rows() - qr_.count()), all = size();
    Index best = -1;
    double steepest = 0.0;
    for (Index j = 0; j < qr_.cols(); ++j) {
      const std::size_t i = to_size(j);
      if (qr_.holds(j) || !movable_[i] || refused_[i] || distance_[i] <= least_[i]) continue;
      double g = g_[i];
      if (x(j) <= lower(j)) g = std::min(g, 0.0);
      if (x(j) >= upper(j)) g = std::max(g, 0.0);
      if (std::abs(g) <= noise(i, left, all) || std::abs(g) <= steepest * distance_[i]) continue;
      steepest = std::abs(g) / distance_[i];
      best = j;
    }
    return best;
  }

  ColumnQr qr_;
  Limits limits_;
  std::span<const double> norms_;
  std::span<const char> movable_;
  FreeSet& set_;
  double s_norm_, slack_;
  std::vector<char> refused_;
  std::vector<double> least_, t_, z_, g_, distance_;
  bool enters_up_ = false, full_rank_ = true, factored_ = false;
};

}  // namespace

double dependent_share(ConstView M) {
  return 4.0 * eps * (8.0 + static_cast<double>(std::min(M.rows, M.cols)));
}

SettledSet settle_free_set(ConstView M, std::span<const double> s, Limits limits,
                           std::span<const double> norms, std::span<const char> movable,
                           FreeSet& set) {
  Exchange exchange(M, s, limits, norms, movable, set);
  exchange.run();
  if (exchange.full_rank()) return {};
  return {false, exchange.without_gradient()};
}

}  // namespace polyak::internal
