#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "matrix/products.hpp"
#include "polyak/problem.hpp"
#include "tomography/projectors/rays.hpp"
#include "tomography/reconstruct/image_run.hpp"
#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

// SIRT and SART. For a block B of views, with rows and columns scaled by their sums,
//   x ← P(x + lambda·C_B A_Bᵀ R_B (b_B − A_B x)),
//   R = w_i/Σ_j a_ij,  C = 1/Σ_i w_i a_ij,
// SIRT has one block of all views, SART one block per view, in an order in which successive views
// are far apart. A has no negative entries, so the eigenvalues of C·AᵀRA are at most 1 and
// 0 < lambda < 2 is stable.
class BlockSweeps {
 public:
  /// A view has `rays_per_view` consecutive rows, a block has `block` views.
  BlockSweeps(const Problem& problem, Products& products, Index rays_per_view, Index block,
              double relaxation);

  /// One sweep over all views.
  void sweep();
  /// Continues from this x.
  void set_x(const std::vector<double>& x) { std::copy(x.begin(), x.end(), x_.begin()); }
  ConstView x() const { return {x_.data(), sides_, d_, d_}; }

 private:
  void step(Index block);
  void update(Index c, Index first, Index last);

  const Problem& problem_;
  Products& products_;
  Index sides_, d_, blocks_, rows_per_block_;
  double relaxation_;
  // One more row than right-hand sides: x = 1 with b = 0, whose gradient Σ_i R_i (Σ_j a_ij) a_ij is
  // the vector of column sums.
  std::vector<double> x_, g_, b_;
  bool sums_known_ = false;          // column sums; SIRT computes them once
  double least_sum_ = 0.0;           // smaller column sums are treated as zero
  std::vector<double> row_weights_;  // R
  std::vector<Index> order_, rows_;
};

// Multiples, modulo n, of a number near 0.618·n that is coprime to n: each block once, successive
// blocks far apart.
std::vector<Index> spread_order(Index n) {
  Index stride = std::max<Index>(1, static_cast<Index>(0.6180339887 * static_cast<double>(n)));
  while (std::gcd(stride, n) != 1) ++stride;
  std::vector<Index> order(to_size(n));
  for (Index k = 0; k < n; ++k) order[to_size(k)] = k * stride % n;
  return order;
}

BlockSweeps::BlockSweeps(const Problem& problem, Products& products, Index rays_per_view,
                         Index block, double relaxation)
    : problem_(problem),
      products_(products),
      sides_(problem.right_hand_sides()),
      d_(problem.cols()),
      rows_per_block_(rays_per_view * block),
      relaxation_(relaxation),
      x_(problem.x0().data, problem.x0().data + sides_ * d_),
      g_(to_size((sides_ + 1) * d_)),
      b_(to_size((sides_ + 1) * problem.rows()), 0.0),
      row_weights_(to_size(problem.rows())),
      rows_(to_size(std::min(rows_per_block_, problem.rows()))) {
  blocks_ = (problem.rows() + rows_per_block_ - 1) / rows_per_block_;
  order_ = spread_order(blocks_);
  x_.resize(g_.size(), 1.0);
  for (Index i = 0; i < problem.rows(); ++i)
    std::copy_n(problem.b().row(i), sides_, b_.data() + i * (sides_ + 1));
  const RowMatrix& A = problem.A();
  products.for_row_chunks([&](Index, Index first, Index last) {
    A.multiply(first, last, {x_.data() + sides_ * d_, 1, d_, d_},
               {row_weights_.data() + first, last - first, 1, 1});
  });
  for (std::size_t i = 0; i < row_weights_.size(); ++i) {
    const double w = problem.weights().empty() ? 1.0 : problem.weights()[i];
    row_weights_[i] = row_weights_[i] > 0.0 ? w / row_weights_[i] : 0.0;
  }
}

void BlockSweeps::step(Index block) {
  const Index first = block * rows_per_block_;
  const Index count = std::min(rows_per_block_, problem_.rows() - first);
  std::iota(rows_.begin(), rows_.begin() + count, first);
  const std::span rows(rows_.data(), to_size(count));
  const std::span weights(row_weights_.data() + first, to_size(count));
  const Index sides = sums_known_ ? sides_ : sides_ + 1;
  products_.gradient(rows, weights, {x_.data(), sides, d_, d_},
                     {b_.data(), problem_.rows(), sides_ + 1, sides_ + 1},
                     {g_.data(), sides, d_, d_});
  sums_known_ = blocks_ == 1;
  const double* sums = g_.data() + sides_ * d_;
  least_sum_ = negligible * *std::max_element(sums, sums + d_);
  constexpr Index job = 8192;
  products_.team().run((d_ + job - 1) / job, [&](Index k) {
    for (Index c = 0; c < sides_; ++c) update(c, k * job, std::min(d_, (k + 1) * job));
  });
}

// x ← P(x + lambda·C·…) for pixels [first, last) of slice c. g holds the sum with the opposite
// sign, and 1/C in its last row. Pixels with a negligible column sum in the block are not changed.
void BlockSweeps::update(Index c, Index first, Index last) {
  const double *sums = g_.data() + sides_ * d_, *g = g_.data() + c * d_;
  double* x = x_.data() + c * d_;
  for (Index j = first; j < last; ++j)
    x[j] -= sums[j] > least_sum_ ? relaxation_ * g[j] / sums[j] : 0.0;
  if (!problem_.has_bounds()) return;
  for (Index j = first; j < last; ++j)
    x[j] = std::clamp(x[j], problem_.lower()[to_size(j)], problem_.upper()[to_size(j)]);
}

void BlockSweeps::sweep() {
  for (Index block : order_) step(block);
}

std::vector<double> copy_of(ConstView x) { return {x.data, x.data + x.size()}; }

Reconstruction sweeps(ImageRun& run, Index rays_per_view, Index block, const RunState* from) {
  const ReconstructOptions& o = run.options();
  const double start = now_s();
  BlockSweeps sweeps(run.problem(), run.products(), rays_per_view, block, o.relaxation);
  run.report().seconds.setup = now_s() - start;
  run.report().used.step_size = o.relaxation;
  if (from) {
    run.resume(*from);
    sweeps.set_x(from->method.vectors[0]);
  } else {
    run.measure(sweeps.x());
  }
  const auto vectors = [&] { return std::vector<std::vector<double>>{copy_of(sweeps.x())}; };
  while (!run.must_end(vectors)) {
    run.iterate([&] { sweeps.sweep(); });
    if (run.measures_now()) run.measure(sweeps.x());
    const Index k = run.report().iterations;
    if (o.on_image && o.image_every > 0 && k % o.image_every == 0)
      o.on_image(k, copy_of(sweeps.x()), 0);
  }
  return run.end_early(sweeps.x());
}

}  // namespace

Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from) {
  ImageRun run(problem, options, rules);
  if (options.method == "fbp")
    return run.end(problem.x0(), Status::converged, "filtered back projection, one shot");
  return sweeps(run, geometry.detectors, options.method == "sart" ? 1 : geometry.views(), from);
}

}  // namespace polyak::tomography::internal
