#include <fmt/format.h>

#include "method/krylov.hpp"

namespace polyak {
namespace {

// Conjugate gradients on the normal equations with one fused read of A an
// iteration, where CGLS and LSQR need two:
//   q = ÃᵀWÃv + ridge·v;  step = ‖s‖²/(‖√WÃv‖² + ridge‖v‖²);
//   x += step·v;  s −= step·q;  v = s + (‖s‖²/‖s_old‖²)·v.
// The disadvantage: s = −g(x) is a recursion without a residual, whose rounding error stays while
// s falls. So where ‖s‖ has fallen by `renewal` since s was last computed from A, s is
// computed from A again, one more read. Each right-hand side has its own scalars, and its
// own renewals.
class OneReadCg final : public Method {
 public:
  explicit OneReadCg(const Setting& setting)
      : Method(setting),
        gradient_(setting_),
        v_(saved_start()),
        s_(saved_start()),
        q_(unknowns()),
        ridge_(diagonal(ridges())),
        s2_(to_size(vectors_)),
        renewed2_(s2_),
        curvature_(s2_),
        ones_(to_size(vectors_), 1.0) {
    save_block(v_);
    save_block(s_);
    save_numbers(s2_);
    save_numbers(renewed2_);
  }

  void advance(Index first, Index last) override {
    if (first == 0 && last > 0) begin();
    for (Index k = first; k < last; ++k) step();
    counters_.iteration = last;
  }

  std::span<const double> gradient2() const override { return s2_; }

  bool finished() const override { return counters_.iteration > 0 && all_zero(s2_); }

 private:
  static constexpr double renewal = 1e-5;  // of ‖s‖: 11 digits of s are right then

  // Not in the constructor: a start that meets the tolerance needs no gradient.
  void begin() {
    true_gradient();
    for (Index c = 0; c < vectors_; ++c) renew(c);
    backend().copy(s_, v_);
    s2_ = squares(backend(), s_);
  }

  void true_gradient() {  // q = g(x)
    counters_.row_products += gradient_(counters_.iteration, x_, q_);
  }

  void renew(Index c) {  // s = −q
    backend().axpby(-1.0, q_.vector(c), 0.0, s_.vector(c));
    renewed2_[to_size(c)] = squares(backend(), s_.vector(c))[0];
  }

  // q = (ÃᵀWÃ + ridge)v and its product with v.
  void curve() {
    backend().normal_product(v_, q_, curvature_);
    counters_.row_products += problem().rows();
    if (!has_ridge()) return;
    const std::vector<double> v = backend().host_copy(v_);
    for (Index c = 0; c < vectors_; ++c)
      curvature_[to_size(c)] += ridge_curvature(v.data() + c * d_);
    backend().add_diagonal(1.0, ridge_, v_, q_);
  }

  bool has_fallen(double now2, std::size_t c) const {
    return now2 < renewal * renewal * renewed2_[c];
  }

  void step() {
    if (all_zero(s2_)) return;
    curve();
    std::vector<double> steps(s2_.size());
    for (std::size_t c = 0; c < steps.size(); ++c)
      steps[c] = curvature_[c] > 0.0 ? s2_[c] / curvature_[c] : 0.0;
    backend().axpby(scaled(steps, unit_), v_, ones_, x_);
    backend().axpby(negated(steps), q_, ones_, s_);
    turn(squares(backend(), s_));
  }

  // v = s + ratio·v; v = s where the recursion differs much from the gradient computed from A.
  void turn(const std::vector<double>& recursion2) {
    std::vector<double> now2 = recursion2, ratio(now2.size());
    bool fallen = false;
    for (std::size_t c = 0; c < now2.size(); ++c) fallen = fallen || has_fallen(now2[c], c);
    if (fallen) true_gradient();
    for (std::size_t c = 0; c < now2.size(); ++c) {
      if (has_fallen(now2[c], c)) {
        renew(static_cast<Index>(c));
        now2[c] = renewed2_[c];
      }
      const bool trusted = s2_[c] > 0.0 && now2[c] <= 4.0 * recursion2[c];
      ratio[c] = trusted ? now2[c] / s2_[c] : 0.0;
    }
    backend().axpby(ones_, s_, ratio, v_);
    s2_ = now2;
  }

  GradientSource gradient_;
  Block v_, s_, q_, ridge_;
  std::vector<double> s2_, renewed2_;  // ‖s‖² now, and when s was last computed from A
  std::vector<double> curvature_;
  const std::vector<double> ones_;
};

std::string why_cg(const CandidateInputs& in) {
  if (in.cg_iterations && !std::isfinite(*in.cg_iterations))
    return "no estimate: it made no progress on a subset of the rows";
  if (in.cg_iterations)
    return fmt::format("about {:.0f} iterations, by a subset of the rows", *in.cg_iterations);
  return in.subset ? "few iterations at this conditioning"
                   : "few iterations where well conditioned";
}

Proposal propose_cg(const CandidateInputs& in) {
  if (in.small) return candidate::small_problem();
  if (in.ill_conditioned())
    return rule_out(
        fmt::format("too many iterations at a condition of {:.1e}", in.subset->condition));
  const std::string& name = one_read_cg_record().info.name;
  if (const auto trial = cg_trial(in))
    return propose({.method = name,
                    .why = fmt::format("a trial: given up where its first iterations predict more "
                                       "than {:.0f} in all",
                                       trial->limit),
                    .seconds = in.costs.krylov(trial->expected, 1.0),
                    .reads = trial->expected + Costs::overhead_passes,
                    .passes = trial->limit,
                    .max_expected_iterations = trial->limit});
  Candidate cg{.method = name,
               .why = why_cg(in),
               .seconds = in.costs.krylov(predicted_iterations(in), 1.0),
               .reads = predicted_iterations(in) + Costs::overhead_passes};
  // All rows may take more iterations than the subset predicts.
  if (in.cg_iterations && std::isfinite(*in.cg_iterations) && !in.factorisations.empty()) {
    cg.passes = 2.0 * *in.cg_iterations + 8.0;
    cg.may_continue = true;
  }
  return propose(std::move(cg));
}

}  // namespace

const MethodRecord& one_read_cg_record() {
  static const MethodRecord record{
      .info = {"cg", "conjugate gradients, one read of A an iteration", trait::ridge, false},
      .make = construct<OneReadCg>,
      .turn = Turn::iteration,
      .propose = propose_cg,
      .krylov = true};
  return record;
}

}  // namespace polyak
