#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/column_qr.hpp"
#include "method/free_set.hpp"

namespace polyak {
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

  // Updates of a factor leave more rounding than a fresh one: what they end at is
  // factored again and looked at once more.
  void run() {
    constexpr int most_factors = 4;
    start();
    for (int factors = 1;; ++factors) {
      exchange();
      if ((factored_ && qr_.changes() == 0) || factors == most_factors) break;
      refactor();
    }
  }

  bool full_rank() const { return full_rank_; }

  // Unknowns that can move without loss: free, or with no gradient to hold them.
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
    if (!free.empty()) factor(std::move(free));  // else M is its own factor
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

  // Ends where no gradient points inward by more than rounding makes of it. Should
  // rounding lead in circles, what counts as rounding grows until it does not.
  void exchange() {
    const Index many = 3 * qr_.cols() + 30;
    Index entered = -1, until = many;
    for (Index steps = 0;; ++steps) {
      if (steps == until) slack_ *= 10.0, until += many;
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

  // A column that hardly differs from the free ones may, by rounding, want to leave
  // through the limit it stands at.
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
      step = std::min(step, room(x(free[to_size(p)]), free[to_size(p)], z_[to_size(p)]));
    for (Index p = 0; p < k; ++p) {
      const Index j = free[to_size(p)];
      const double target = z_[to_size(p)], before = x(j);
      x(j) = step == 1.0 ? target : before + step * (target - before);
      if (step < 1.0 && room(before, j, target) <= step)
        x(j) = target < before ? lower(j) : upper(j);
      x(j) = std::clamp(x(j), lower(j), upper(j));
    }
    for (Index j : free)
      if (x(j) <= lower(j) || x(j) >= upper(j)) qr_.remove(j);
    return qr_.count() == k || step == 1.0;
  }

  // How much of the way to the target is within the limits.
  double room(double from, Index j, double target) const {
    if (target < lower(j)) return (lower(j) - from) / (target - from);
    if (target > upper(j)) return (upper(j) - from) / (target - from);
    return 1.0;
  }

  // ‖s‖ + Σ‖m_j‖|x_j|: rounding of the residual is a share of it.
  double size() {
    double sum = s_norm_;
    for (std::size_t j = 0; j < set_.x.size(); ++j) sum += norms_[j] * std::abs(set_.x[j]);
    return sum;
  }

  // g_j = w_jᵀρ, where w_j is what is left of the column and ρ what is left of s. Their
  // entries are off by eps‖m_j‖ and eps·size.
  double noise(std::size_t j, double left, double all) const {
    return slack_ * (norms_[j] * left + distance_[j] * all);
  }

  // The unknown whose joining lowers the objective most, by g²/2‖w_j‖²; -1 when none does.
  Index steepest() {
    qr_.reduce(set_.x, t_);
    qr_.gradients(t_, g_, distance_);
    const double left = norm(t_.data() + qr_.count(), qr_.rows() - qr_.count()), all = size();
    Index best = -1;
    double most = 0.0;
    for (Index j = 0; j < qr_.cols(); ++j) {
      const std::size_t i = to_size(j);
      if (qr_.holds(j) || !movable_[i] || refused_[i] || distance_[i] <= least_[i]) continue;
      double g = g_[i];
      if (x(j) <= lower(j)) g = std::min(g, 0.0);
      if (x(j) >= upper(j)) g = std::max(g, 0.0);
      if (std::abs(g) <= noise(i, left, all) || std::abs(g) <= most * distance_[i]) continue;
      most = std::abs(g) / distance_[i];
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

}  // namespace polyak
