#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/blas.hpp"
#include "linalg/tsqr.hpp"
#include "method/method.hpp"
#include "method/preconditioner.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

// Heavy ball with full gradients on A·R⁻¹, R being that of a sketch of s rows:
//   x_{k+1} = x_k − alpha (RᵀR)⁻¹ g(x_k) + beta (x_k − x_{k−1}).
// The eigenvalues of the preconditioned problem lie in the Marchenko–Pastur
// band 1/(1 ± √r)², r = d/s, whatever A's are; so alpha = (1 − r)², beta = r
// are optimal without estimating anything, and each pass takes √r off the
// error. Iteration 1 builds R and solves the sketched problem for a start,
// unless the solution is not unique: then it is the one nearest to x0.
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

}  // namespace

std::unique_ptr<Method> make_sketched_heavy_ball(const Setting& setting) {
  return std::make_unique<SketchedHeavyBall>(setting);
}

}  // namespace polyak
