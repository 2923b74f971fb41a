#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/blas.hpp"
#include "linalg/tsqr.hpp"
#include "method/preconditioner.hpp"
#include "method/record.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

// Heavy ball with full gradients on A·R⁻¹, R being that of a sketch of s rows:
//   x_{k+1} = x_k − alpha (RᵀR)⁻¹ g(x_k) + beta (x_k − x_{k−1}).
// The eigenvalues of the preconditioned problem lie in the Marchenko–Pastur
// band 1/(1 ± √r)², r = d/s, for every A; so alpha = (1 − r)², beta = r are optimal without an
// estimate of the spectrum, and each pass multiplies the error by √r. Iteration 1 builds R and
// takes the solution of the sketched problem as the start; where the solution is not unique
// the start is x0, so that the solution nearest to x0 is found.
class SketchedHeavyBall final : public Method {
 public:
  explicit SketchedHeavyBall(const Setting& setting)
      : Method(setting), gradient_(setting_), previous_(saved_start()), g_(unknowns()) {
    save_block(previous_);
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) {
      if (!factor_.built()) build(k == 0);
      if (k > 0) step(k);
    }
    counters_.iteration = last;
  }

  std::optional<double> condition() const override {
    return factor_.built() ? std::optional(factor_.condition()) : std::nullopt;
  }

 private:
  void step(Index k) {
    counters_.row_products += gradient_(k, x_, g_);
    std::vector<double> g = backend().host_copy(g_);
    factor_.apply(host_view(g));
    keep_zero_columns(setting_, host_view(g));
    backend().write(host_view(std::as_const(g)), g_);
    const double alpha = unit_ * setting_.parameters.step_size(k);
    backend().heavy_ball_step(alpha, setting_.parameters.momentum(k), x_, g_, previous_, columns());
    std::swap(x_, previous_);
  }

  void build(bool start) {
    const Problem& problem = setting_.problem;
    ThreadTeam& team = setting_.team;
    const Buffer sketch =
        sparse_sign_sketch(problem, setting_.facts.scale, setting_.parameters.sketch_rows,
                           setting_.parameters.seed, team);
    const Index s = sketch.rows(), width = sketch.cols();
    const auto source = [&](Index first, Index last, View out) {
      for (Index i = first; i < last; ++i) {
        if (i < s)
          std::copy_n(sketch.view().row(i), width, out.row(i - first));
        else
          std::fill_n(out.row(i - first), width, 0.0);
        if (i >= s) out(i - first, i - s) = std::sqrt(ridge(i - s));
      }
    };
    const Buffer all = tall_r(has_ridge() ? s + d_ : s, width, source, team);
    Buffer R(d_, d_);
    for (Index i = 0; i < d_; ++i) std::copy_n(all.view().row(i) + i, d_ - i, R.view().row(i) + i);
    factor_ = Preconditioner::of_factor(std::move(R));
    if (start) counters_.row_products += problem.rows();
    if (start && factor_.full_rank()) solve_sketch(all.view());
  }

  // [SA Sb] = Q[R S; 0 T]: x = R⁻¹S, for every right-hand side.
  void solve_sketch(ConstView all) {
    Buffer x(vectors_, d_);
    for (Index c = 0; c < vectors_; ++c)
      for (Index i = 0; i < d_; ++i) x.view()(c, i) = all(i, d_ + c);
    solve_right(factor_.R(), x.view(), Transpose::yes);
    for (Index i = 0; i < vectors_ * d_; ++i) x.data()[i] *= unit_;
    backend().write(std::as_const(x).view(), x_);
    backend().copy(x_, previous_);
  }

  GradientSource gradient_;
  Block previous_, g_;
  Preconditioner factor_;
};

double digits(double tol) { return std::log(1.0 / tol); }  // in e-folds

// Wherever the rows are, because a named method has the same bits for all of them.
Index sketch_rows(ProblemShape shape, double tol) {
  shape.disk.reset();
  return Costs(shape).sketch_rows(digits(std::max(tol, 1e-16)));
}

// spectrum/sketch and method/preconditioner.
double sketched_memory(const WorkingMemory& m) {
  const auto rows = static_cast<double>(sketch_rows(m.shape(), m.options().tol));
  return (rows + 1024.0) * (m.d() + m.c()) + m.factor(rows, m.d() + m.c());
}

// The Marchenko–Pastur band gives step, momentum and rate.
void complete_sketched(const PlanInputs& in, ChosenParameters& p) {
  const Index rows = sketch_rows(shape_of(in.problem), in.options.tol);
  const double r = static_cast<double>(in.problem.cols()) / static_cast<double>(rows);
  p.sketch_rows = rows;
  p.step_size = (1.0 - r) * (1.0 - r);
  p.momentum = r;
  p.rate = std::sqrt(r);
  p.rate_kind = "model: Marchenko-Pastur band of the sketch";
}

Proposal propose_sketched(const CandidateInputs& in) {
  constexpr double attainable = 1e-14;    // backward error that iterations reach
  constexpr double until_stagnation = 3;  // times as long until stagnation is detected
  if (in.small) return candidate::small_problem();
  if (in.dependent()) return rule_out(candidate::dependent_columns(in));
  if (in.n < 12.0 * in.d) return rule_out("fewer than 12 rows per column");
  if (const double bytes = 12.0 * in.d * in.d * 8.0; bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("the sketch might take {:.2g} GB", bytes / 1e9));
  // A run whose tolerance is below rounding ends only when stagnation is detected.
  const double tol = candidate::tol_for_x(in);
  const double factor = tol < attainable ? until_stagnation : 1.0;
  return propose({.method = sketched_heavy_ball_record().info.name,
                  .why = "a sketch preconditions A whatever its conditioning",
                  .seconds = in.costs.sketched(factor * digits(tol)),
                  .tol = tol});
}

}  // namespace

const MethodRecord& sketched_heavy_ball_record() {
  static const MethodRecord record{
      .info = {"sketch-hbm", "heavy ball preconditioned by a sketch of A", trait::ridge, false},
      .make = construct<SketchedHeavyBall>,
      .plan = {.complete = complete_sketched},
      .memory = sketched_memory,
      .turn = Turn::factorisation,
      .propose = propose_sketched};
  return record;
}

}  // namespace polyak
