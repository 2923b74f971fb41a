#include <fmt/format.h>

#include <limits>
#include <utility>

#include "method/krylov.hpp"

namespace polyak::internal {
namespace {

// Conjugate gradients within bounds, from products with A alone (Dostál 1997, Friedlander,
// Martínez 1994). With H = ÃᵀWÃ + ridge and g = Hx − q, φ is g on the unknowns between
// their bounds, β the part of g at a bound that points inward. One of three steps:
//   ‖β‖ > ‖φ‖: x −= step·β, the minimiser along β: unknowns leave their bounds;
//   else x −= step·p with conjugate gradients among the free unknowns;
//   where that meets a bound: the projection of the whole step, if it lowers the objective
//   further than the part of the step up to the bound does, and that part otherwise.
// Each reads A once, the last one twice. f(y) − f(x) = ½(g(y) + g(x))ᵀ(y − x) needs no read.
// As in `cg`, g is a recursion that is computed from A again where it has fallen by `renewal`.
class BoundedCg final : public Method {
 public:
  explicit BoundedCg(const Setting& setting)
      : Method(setting),
        gradient_(setting_),
        host_x_(read_x()),
        p_(host_x_),
        g_(host_x_),
        v_(to_size(vectors_ * d_)),
        q_(v_),
        part_x_(v_),
        g2_(to_size(vectors_)),
        renewed2_(g2_),
        curvature_(g2_),
        v_block_(unknowns()),
        q_block_(unknowns()),
        lower_(to_size(d_), -std::numeric_limits<double>::infinity()),
        upper_(to_size(d_), std::numeric_limits<double>::infinity()) {
    save_numbers(p_);
    save_numbers(g_);
    save_numbers(g2_);
    save_numbers(renewed2_);
    if (!setting_.problem.has_bounds()) return;
    lower_ = setting_.problem.lower();
    upper_ = setting_.problem.upper();
  }

  void advance(Index first, Index last) override {
    host_x_ = read_x();
    if (first == 0 && last > 0) begin();
    for (Index k = first; k < last; ++k) step();
    write_x(host_x_);
    counters_.iteration = last;
  }

  std::span<const double> gradient2() const override { return g2_; }

  bool finished() const override { return counters_.iteration > 0 && all_zero(g2_); }

 private:
  static constexpr double renewal = 1e-5;

  enum class Kind { none, release, conjugate, expand };

  double& x(Index c, Index j) { return host_x_[to_size(c * d_ + j)]; }
  double& p(Index c, Index j) { return p_[to_size(c * d_ + j)]; }
  double& g(Index c, Index j) { return g_[to_size(c * d_ + j)]; }
  bool at_lower(Index c, Index j) { return x(c, j) <= lower_[to_size(j)]; }
  bool at_upper(Index c, Index j) { return x(c, j) >= upper_[to_size(j)]; }

  double phi(Index c, Index j) { return at_lower(c, j) || at_upper(c, j) ? 0.0 : g(c, j); }
  double beta(Index c, Index j) {
    if (at_lower(c, j)) return at_upper(c, j) ? 0.0 : std::min(g(c, j), 0.0);
    return at_upper(c, j) ? std::max(g(c, j), 0.0) : 0.0;
  }

  void begin() {
    true_gradient();
    for (Index c = 0; c < vectors_; ++c) {
      renew(c);
      restart(c);
    }
  }

  void true_gradient() {  // q_ = g(x)
    write_x(host_x_);
    counters_.row_products += gradient_(counters_.iteration, x_, q_block_);
    backend().read(q_block_, host_view(q_));
  }

  void renew(Index c) {
    for (Index j = 0; j < d_; ++j) g(c, j) = host_view(q_)(c, j);
    measure(c);
    renewed2_[to_size(c)] = g2_[to_size(c)];
  }

  void restart(Index c) {
    for (Index j = 0; j < d_; ++j) p(c, j) = phi(c, j);
  }

  void measure(Index c) {
    double sum = 0.0;
    for (Index j = 0; j < d_; ++j) {
      const double v = phi(c, j) + beta(c, j);
      sum += v * v;
    }
    g2_[to_size(c)] = sum;
  }

  // The direction of each right-hand side.
  Kind choose(Index c) {
    double free2 = 0.0, inward2 = 0.0;
    for (Index j = 0; j < d_; ++j) {
      free2 += phi(c, j) * phi(c, j);
      inward2 += beta(c, j) * beta(c, j);
    }
    const bool release = inward2 > free2;
    for (Index j = 0; j < d_; ++j) host_view(v_)(c, j) = release ? beta(c, j) : p(c, j);
    return release ? Kind::release : free2 > 0.0 ? Kind::conjugate : Kind::none;
  }

  // q_ = Hv and curvature_ = vᵀHv.
  void curve() {
    backend().write(host_view(std::as_const(v_)), v_block_);
    backend().normal_product(v_block_, q_block_, curvature_);
    backend().read(q_block_, host_view(q_));
    counters_.row_products += setting_.problem.rows();
    for (Index c = 0; has_ridge() && c < vectors_; ++c) {
      curvature_[to_size(c)] += ridge_curvature(host_view(v_).row(c));
      for (Index j = 0; j < d_; ++j) host_view(q_)(c, j) += ridge(j) * host_view(v_)(c, j);
    }
  }

  void step() {
    if (all_zero(g2_)) return;
    std::vector<Kind> kinds;
    for (Index c = 0; c < vectors_; ++c) kinds.push_back(choose(c));
    curve();
    bool stale = false;
    for (Index c = 0; c < vectors_; ++c) stale = move(c, kinds[to_size(c)]) || stale;
    if (stale) true_gradient();
    for (Index c = 0; c < vectors_; ++c) settle(c, kinds[to_size(c)]);
  }

  // The largest step along −v that stays within the bounds.
  double largest_step(Index c) {
    double step = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < d_; ++j) {
      const double v = unit_ * host_view(v_)(c, j);
      if (v > 0.0) step = std::min(step, (x(c, j) - lower_[to_size(j)]) / v);
      if (v < 0.0) step = std::min(step, (x(c, j) - upper_[to_size(j)]) / v);
    }
    return step;
  }

  double clamped(Index j, double value) const {
    return std::clamp(value, lower_[to_size(j)], upper_[to_size(j)]);
  }

  // Returns whether g has to be computed from A.
  bool move(Index c, Kind& kind) {
    const double curvature = curvature_[to_size(c)];
    if (kind == Kind::none || !(curvature > 0.0)) {
      kind = Kind::none;
      return false;
    }
    double slope = 0.0;
    for (Index j = 0; j < d_; ++j) slope += g(c, j) * host_view(v_)(c, j);
    const double whole = slope / curvature, largest = largest_step(c),
                 part = std::min(whole, largest);
    if (kind == Kind::conjugate && !(whole < largest)) kind = Kind::expand;
    for (Index j = 0; j < d_; ++j) {
      const double v = unit_ * host_view(v_)(c, j), from = x(c, j);
      x(c, j) = clamped(j, from - part * v);
      g(c, j) -= part * host_view(q_)(c, j);
      if (kind != Kind::expand) continue;
      host_view(part_x_)(c, j) = x(c, j);
      x(c, j) = clamped(j, from - whole * v);
    }
    if (kind == Kind::conjugate) turn(c, curvature);
    measure(c);
    return kind == Kind::expand || has_fallen(c);
  }

  // p = φ − (φᵀHp/pᵀHp)·p.
  void turn(Index c, double curvature) {
    double product = 0.0;
    for (Index j = 0; j < d_; ++j) product += phi(c, j) * host_view(q_)(c, j);
    for (Index j = 0; j < d_; ++j) p(c, j) = phi(c, j) - product / curvature * p(c, j);
  }

  bool has_fallen(Index c) { return g2_[to_size(c)] < renewal * renewal * renewed2_[to_size(c)]; }

  void settle(Index c, Kind kind) {
    if (kind == Kind::none) return;
    if (kind == Kind::expand && !lower_than_part(c)) {
      for (Index j = 0; j < d_; ++j) x(c, j) = host_view(part_x_)(c, j);
      measure(c);
    } else if (kind == Kind::expand || has_fallen(c)) {
      renew(c);
    }
    if (kind != Kind::conjugate) restart(c);
  }

  // f(x) < f(part), where q_ = g(x) and g is that of the part.
  bool lower_than_part(Index c) {
    double change = 0.0;
    for (Index j = 0; j < d_; ++j)
      change += (host_view(q_)(c, j) + g(c, j)) * (x(c, j) - host_view(part_x_)(c, j));
    return change < 0.0;
  }

  GradientSource gradient_;
  // The case distinctions of each unknown are made on the host; products are the backend's.
  std::vector<double> host_x_, p_, g_;  // x, the direction, the gradient
  std::vector<double> v_, q_, part_x_;
  std::vector<double> g2_, renewed2_;  // ‖φ + β‖² now, and when g was last computed from A
  std::vector<double> curvature_;
  Block v_block_, q_block_;
  std::vector<double> lower_, upper_;
};

double bounded_cg_memory(const WorkingMemory& m) { return 6.0 * m.c() * m.d(); }

// Instead of a factorisation that is too large; or before one that takes long, for a part of
// its time.
Proposal propose_bounded_cg(const CandidateInputs& in) {
  constexpr double reads_per_iteration = 1.5, min_trial_iterations = 30.0;
  constexpr double acceptable_seconds = 1.0;  // an exact solution this fast needs no trial
  if (!in.shape.bounds) return {};
  Candidate out{
      .method = bounded_cg_record().info.name,
      .why = "conjugate gradients within the bounds",
      .seconds = in.costs.krylov(reads_per_iteration * candidate::unknown_iterations, 1.0)};
  if (in.factorisations.empty()) return propose(std::move(out));
  const Candidate& exact = in.factorisations.front();
  const double passes = std::floor(candidate::trial_share * exact.seconds / in.costs.pass());
  if (!(exact.seconds > acceptable_seconds && passes >= min_trial_iterations)) return {};
  out.why = fmt::format("a trial of {:.0f} passes: a quarter of what {} would take", passes,
                        exact.method);
  out.seconds = std::min(out.seconds, passes * in.costs.pass());
  out.passes = passes;
  return propose(std::move(out));
}

}  // namespace

const MethodRecord& bounded_cg_record() {
  static const MethodRecord record{.info = {"bounded-cg", "conjugate gradients within bounds",
                                            trait::bounds | trait::ridge, false},
                                   .make = construct<BoundedCg>,
                                   .memory = bounded_cg_memory,
                                   .turn = Turn::iteration,
                                   .propose = propose_bounded_cg};
  return record;
}

}  // namespace polyak::internal
