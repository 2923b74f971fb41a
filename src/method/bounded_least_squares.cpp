#include "method/bounded_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/column_qr.hpp"
#include "linalg/norm.hpp"
#include "linalg/svd.hpp"

namespace polyak {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// Step 2: from a feasible x whose free unknowns lie strictly between their limits.
class Exchange {
 public:
  Exchange(ConstView M, std::span<const double> s, BoundedLeastSquares::Limits limits,
           std::span<const double> norms, std::span<const char> movable, FreeSet& set)
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

  // Rounding of QR leaves about that much of a column that depends on others.
  static double dependent_share(ConstView M) {
    return 4.0 * eps * (8.0 + static_cast<double>(std::min(M.rows, M.cols)));
  }

  // Updates of a factor leave more rounding than a fresh one: what they end at is
  // factored again and looked at once more.
  void run() {
    constexpr int most_factors = 4;
    start();
    for (int factors = 1;; ++factors) {
      exchange();
      if (qr_.changes() == 0 || factors == most_factors) break;
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
    factor(std::move(free));
  }

  void refactor() {
    const auto order = qr_.order();
    factor({order.begin(), order.begin() + qr_.count()});
  }

  void factor(std::vector<Index> free) {
    std::vector<Index> dependent;
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
    for (Index p = 0; p < k; ++p) step = std::min(step, room(x(free[to_size(p)]), free[to_size(p)], z_[to_size(p)]));
    for (Index p = 0; p < k; ++p) {
      const Index j = free[to_size(p)];
      const double target = z_[to_size(p)], before = x(j);
      x(j) = step == 1.0 ? target : before + step * (target - before);
      if (step < 1.0 && room(before, j, target) <= step) x(j) = target < before ? lower(j) : upper(j);
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
  BoundedLeastSquares::Limits limits_;
  std::span<const double> norms_;
  std::span<const char> movable_;
  FreeSet& set_;
  double s_norm_, slack_;
  std::vector<char> refused_;
  std::vector<double> least_, t_, z_, g_, distance_;
  bool enters_up_ = false, full_rank_ = true;
};

}  // namespace

BoundedLeastSquares::BoundedLeastSquares(ConstView M) : m_(M.rows, M.cols) { equilibrate(M); }

// By the largest entry of each column, so that a column times a power of two changes no bit.
void BoundedLeastSquares::equilibrate(ConstView M) {
  const std::size_t d = to_size(M.cols);
  std::vector<double> largest(d, 0.0), squares(d, 0.0);
  for (Index i = 0; i < M.rows; ++i)
    for (std::size_t j = 0; j < d; ++j) largest[j] = std::max(largest[j], std::abs(M.row(i)[j]));
  for (double v : largest) exponents_.push_back(v > 0.0 ? std::ilogb(v) : 0);
  for (Index i = 0; i < M.rows; ++i) {
    double* row = m_.view().row(i);
    for (std::size_t j = 0; j < d; ++j) {
      row[j] = std::ldexp(M.row(i)[j], -exponents_[j]);
      squares[j] += row[j] * row[j];
    }
  }
  for (double v : squares) norms_.push_back(std::sqrt(v));
}

const Buffer& BoundedLeastSquares::gram() {
  if (gram_.rows() == m_.cols()) return gram_;
  gram_ = Buffer(m_.cols(), m_.cols());
  add_gram(m_.view(), gram_.view());
  copy_upper_to_lower(gram_.view());
  return gram_;
}

void BoundedLeastSquares::solve(std::span<const double> s, Limits limits, std::span<double> x) {
  const std::size_t d = x.size();
  std::vector<double> lower(d), upper(d);
  std::vector<char> movable(d);
  FreeSet set{std::vector<double>(d), std::vector<char>(d)};
  for (std::size_t j = 0; j < d; ++j) {
    lower[j] = std::ldexp(limits.lower[j], exponents_[j]);
    upper[j] = std::ldexp(limits.upper[j], exponents_[j]);
    set.x[j] = std::clamp(std::ldexp(x[j], exponents_[j]), lower[j], upper[j]);
    movable[j] = lower[j] < upper[j] && norms_[j] > 0.0;
    set.free[j] = movable[j] && lower[j] < set.x[j] && set.x[j] < upper[j];
  }
  const Limits scaled{lower, upper};
  guess(s, scaled, movable, set);
  Exchange exchange(m_.view(), s, scaled, norms_, movable, set);
  exchange.run();
  if (!exchange.full_rank()) nearest(exchange.without_gradient(), scaled, x, set.x);
  rank_ = exchange.full_rank() ? std::count_if(norms_.begin(), norms_.end(), [](double n) { return n > 0.0; })
                               : singular_values(m_.view()).rank;
  for (std::size_t j = 0; j < d; ++j) {
    x[j] = set.x[j] <= lower[j]   ? limits.lower[j]
           : set.x[j] >= upper[j] ? limits.upper[j]
                                  : std::ldexp(set.x[j], -exponents_[j]);
  }
}

void BoundedLeastSquares::guess(std::span<const double> s, Limits limits,
                                std::span<const char> movable, FreeSet& set) {
  const Index m = m_.rows(), d = m_.cols();
  if (m < d) return;  // MᵀM is singular
  std::vector<double> q(to_size(d));
  gemm(1.0, {s.data(), 1, m, m}, Transpose::no, m_.view(), Transpose::no, 0.0, {q.data(), 1, d, d});
  FreeSet better = set;
  if (guess_free_set(gram().view(), q, limits, movable, better)) set = std::move(better);
}

// x of the unknowns Z, of all those that fit alike, nearest to the start: the start and the
// correction of least norm, in the units the columns came in. Where it leaves the limits,
// or the singular values left out mattered, x stays.
void BoundedLeastSquares::nearest(const std::vector<Index>& Z, Limits limits,
                                  std::span<const double> start, std::span<double> x) const {
  const Index m = m_.rows(), k = std::ssize(Z);
  Buffer M(m, k), step(1, std::max(m, k)), fit(1, m);
  double size = 0.0;
  for (Index p = 0; p < k; ++p) {
    const std::size_t j = to_size(Z[to_size(p)]);
    const double away = std::ldexp(x[j], -exponents_[j]) - start[j];
    size += norms_[j] * std::abs(x[j]);
    for (Index i = 0; i < m; ++i) {
      M.view()(i, p) = std::ldexp(m_.view()(i, Z[to_size(p)]), exponents_[j]);
      fit.data()[i] += M.view()(i, p) * away;
    }
  }
  std::copy_n(fit.data(), m, step.data());
  const double share = Exchange::dependent_share(m_.view());
  if (!least_squares_svd(M.view(), step.view(), share).ok) return;
  gemm(1.0, part(step.view(), 0, 0, 1, k), Transpose::no, M.view(), Transpose::yes, -1.0, fit.view());
  if (norm(fit.data(), m) > 16.0 * share * size) return;
  std::vector<double> near(to_size(k));
  for (Index p = 0; p < k; ++p) {
    const std::size_t j = to_size(Z[to_size(p)]);
    near[to_size(p)] = std::ldexp(start[j] + step.data()[p], exponents_[j]);
    if (near[to_size(p)] < limits.lower[j] || near[to_size(p)] > limits.upper[j]) return;
  }
  for (Index p = 0; p < k; ++p) x[to_size(Z[to_size(p)])] = near[to_size(p)];
}

}  // namespace polyak
