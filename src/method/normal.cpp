#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/blas.hpp"
#include "method/preconditioner.hpp"
#include "method/record.hpp"
#include "problem/least_squares.hpp"
#include "spectrum/eigenvalues.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

// By Lanczos steps, which end below it by a few per cent at most.
double at_least_largest_eigenvalue(ConstView H) {
  constexpr Index steps = 12;
  const Index d = H.rows;
  const auto apply = [&](std::span<const double> v, std::span<double> out) {
    gemm(1.0, {v.data(), 1, d, d}, Transpose::no, H, Transpose::no, 0.0, {out.data(), 1, d, d});
  };
  return lanczos(d, steps, Random(0, stream::lanczos), apply).values.back();
}

// Newton steps with H = ÃᵀWÃ + ridge·I:
//   x_{k+1} = x_k − H⁺ g(x_k).
// The first gives the solution of the normal equations, with an error of kappa·eps; each
// further one computes the gradient again and reduces the error by that factor, as long as
// kappa·eps < 1 (kappa of AᵀA). The first iteration takes as many as bring x to the accuracy
// of QR.
//
// Where the set-up has read A for ÃᵀWÃ and Ãᵀb̃, A is read again only for further gradients, and
// not where a measurement has read it at the same x.
class Normal final : public Method {
 public:
  explicit Normal(const Setting& setting) : Method(setting), g_(unknowns()) {
    if (setting_.normal)
      model_.emplace(*setting_.normal);
    else
      unread_.resize(NormalModel::state_size(vectors_, d_));
    save_numbers(model_ ? model_->state() : unread_);
    save_numbers(unresolved_);
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step(k);
    counters_.iteration = last;
  }

  bool finished() const override { return ends_unresolved(); }
  std::optional<double> condition() const override {
    if (unresolved()) return INFINITY;
    return factor_.built() ? std::optional(factor_.condition()) : std::nullopt;
  }
  const RankFound* rank() const override { return found_.known ? &found_ : nullptr; }
  const NormalModel* model() const override { return model_ ? &*model_ : nullptr; }
  void measured(ConstView x, ConstView g, std::span<const double> residual2) override {
    if (model_) model_->read_at(x, g, residual2);
  }

 private:
  void step(Index k) {
    if (!factor_.built() && !ends_unresolved()) build();
    if (ends_unresolved()) return;
    if (k == 0) counters_.row_products += setting_.problem.rows();  // H's
    correct(gradient(k == 0));
    for (int more = k > 0 ? 0 : corrections() - 1; more > 0; --more) correct(gradient(false));
    if (k == 0 && factor_.null_space().cols() > 0) shorten_step();
  }

  // Of the objective at x, with the ridge. The first is as exact by the equations as their
  // solution is.
  std::vector<double> gradient(bool first) {
    const std::vector<double> x = read_x();
    std::vector<double> g(x.size());
    if (model_ && (first || model_->known_at(host_view(x)))) {
      for (Index c = 0; c < vectors_; ++c)
        (void)model_->at(host_view(x).row(c), c, g.data() + c * d_);
    } else {
      std::vector<double> residual2(to_size(vectors_));
      backend().full_gradient(x_, g_, residual2, nullptr);
      g = backend().host_copy(g_);
      counters_.row_products += setting_.problem.rows();
      measured(host_view(x), host_view(std::as_const(g)), residual2);
    }
    for (std::size_t i = 0; i < g.size() && has_ridge(); ++i)
      g[i] += ridge(static_cast<Index>(i) % d_) * (x[i] / unit_);
    return g;
  }

  // A'A cannot be distinguished from a singular matrix.
  bool unresolved() const { return unresolved_[0] != 0.0; }
  bool ends_unresolved() const { return unresolved() && setting_.parameters.only_resolved; }

  // Where columns are scaled the step from the start is the shortest in scaled units only.
  void shorten_step() {
    const ConstView start = setting_.problem.x0();
    std::vector<double> x = read_x();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= start.data[i];
    const Shortened done = shorten(setting_, factor_.null_space().view(), start, host_view(x));
    found_.nearest = done.all;
    counters_.row_products += done.rows_read;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += start.data[i];
    write_x(x);
  }

  // Each multiplies the error by kappa·eps = condition²·eps. QR has an error of condition·eps;
  // below 1e-11 more steps are not worth a read of A.
  int corrections() const {
    constexpr double eps = 0x1p-52, enough = 1e-11;
    constexpr int max_steps = 12;
    const double c = factor_.condition(), each = 2.0 * eps * c * c;
    if (!(each < 0.5)) return 2;  // more steps do not help where A'A does not resolve A
    const double wanted = std::log(std::max(enough, eps * c)) / std::log(each);
    return std::clamp(static_cast<int>(std::ceil(wanted - 0.1)), 1, max_steps);
  }

  void correct(std::vector<double> g) {
    factor_.apply(host_view(g));
    keep_zero_columns(setting_, host_view(g));
    backend().write(host_view(std::as_const(g)), g_);
    backend().axpby(-unit_, g_, 1.0, x_);
  }

  void build() {
    const Problem& problem = setting_.problem;
    std::vector<double> computed;
    if (!setting_.normal) computed = problem_gram(problem, setting_.facts, setting_.team).H;
    Buffer H(d_, d_);
    for (Index i = 0; i < d_; ++i) {
      std::copy_n(setting_.normal ? setting_.normal->row(i) : computed.data() + i * d_, d_,
                  H.view().row(i));
      H.view()(i, i) += ridge(i);
    }
    // The step of a zero column is set to 0 later; here its diagonal gets the size of the others.
    double largest = 0.0;
    for (Index j = 0; j < d_; ++j) largest = std::max(largest, H.view()(j, j));
    Index zero_columns = 0;
    for (Index j : setting_.facts.zero_columns)
      if (H.view()(j, j) == 0.0) {
        H.view()(j, j) = largest;
        ++zero_columns;
      }
    find_factor(std::move(H), zero_columns);
  }

  // A null space that A itself confirms is used as it is; where A'A does not resolve A, its
  // eigenvalues are used, or another method.
  void find_factor(Buffer H, Index zero_columns) {
    const double line = std::sqrt(static_cast<double>(d_) * 0x1p-52);
    factor_ = Preconditioner::of_matrix(H.view());
    const auto found = [&](double threshold) {
      found_ = {.known = true,
                .rank = factor_.rank() - zero_columns,
                .threshold = threshold,
                .dependent = factor_.dependent(),
                .condition = {}};
      for (Index j : setting_.facts.zero_columns)
        if (ridge(j) == 0.0) found_.dependent.push_back({j, {}, {}});
    };
    if (factor_.built() && factor_.full_rank()) return found(line);
    if (factor_.built() && finds_null_space(H.view())) {
      factor_.trust_null_space();
      return found(rank_threshold(setting_.problem.rows(), d_));
    }
    unresolved_[0] = 1.0;
    if (setting_.parameters.only_resolved) return;
    factor_ = {};
    factor_ = Preconditioner::of_eigenvalues(std::move(H));
    found(line);
  }

  // AᵀA cannot distinguish a small singular value from zero, but A itself can: the singular values
  // left out are at most ‖A·N‖_F, for a null space N of orthonormal columns. They count as zero up
  // to the threshold of QR, relative to the largest singular value. The rounding of A·N is
  // below that: about eps·‖A‖_F, at most √d·eps times the largest.
  //
  // That of N by the factor of AᵀA is larger, by the condition of the other columns: where it may
  // be all that A·N shows, N is corrected once, N ← N − H⁺AᵀA·N.
  bool finds_null_space(ConstView H) {
    const Index count = factor_.null_space().cols();
    if (count == 0 || count > Preconditioner::max_dependent || has_ridge()) return false;
    const double line =
        rank_threshold(setting_.problem.rows(), d_) * std::sqrt(at_least_largest_eigenvalue(H));
    Buffer q(count, d_);
    const double size = times_null_space(q.view());
    if (size <= line) return true;
    if (!(size <= line * factor_.condition_of_rest())) return false;
    factor_.correct_null_space(q.view());
    return times_null_space(q.view()) <= line;
  }

  // ‖A·N‖_F, and AᵀA·N in the rows of q. One read of A.
  double times_null_space(View q) {
    const ConstView N = factor_.null_space().view();
    Buffer rows(N.cols, d_);
    for (Index k = 0; k < N.cols; ++k)
      for (Index j = 0; j < d_; ++j) rows.view()(k, j) = N(j, k);
    const Block v = backend().make(Block::Kind::unknowns, N.cols);
    const Block product = backend().make(Block::Kind::unknowns, N.cols);
    std::vector<double> sizes2(to_size(N.cols));
    backend().write(std::as_const(rows).view(), v);
    backend().normal_product(v, product, sizes2);
    counters_.row_products += setting_.problem.rows();
    const std::vector<double> copy = backend().host_copy(product);
    std::copy(copy.begin(), copy.end(), q.data);
    return std::sqrt(std::accumulate(sizes2.begin(), sizes2.end(), 0.0));
  }

  std::optional<NormalModel> model_;  // where the normal equations are known
  // In place of its state where they are not: a saved run continues on a device that has them.
  std::vector<double> unread_;
  Block g_;
  Preconditioner factor_;
  RankFound found_;
  std::vector<double> unresolved_{0.0};  // saved: a run that ended so has no further iteration
};

// AᵀA while it is computed; or AᵀA twice and its factor, which is copied once more where columns
// depend on each other.
double normal_memory(const WorkingMemory& m) {
  const double width = m.d() + m.c();
  return std::max(m.gram(width), 4.0 * width * width);
}

Proposal propose_normal(const CandidateInputs& in) {
  constexpr double max_gram_seconds = 1e3;
  if (in.dependent()) return rule_out(candidate::dependent_columns(in));
  if (in.n < in.d) return rule_out("fewer rows than columns");
  if (in.ill_conditioned())
    return rule_out(
        fmt::format("A'A does not resolve a condition of {:.1e}", in.subset->condition));
  if (const double bytes = 3.0 * in.d * in.d * 8.0; bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("A'A and its factor take {:.2g} GB", bytes / 1e9));
  if (const double seconds = in.costs.gram_products(); seconds > max_gram_seconds)
    return rule_out(fmt::format("A'A alone would take {:.2g} s", seconds));
  return propose({.method = normal_record().info.name,
                  .why = in.subset ? "A'A in one pass, well enough conditioned"
                                   : "A'A in one pass, where well enough conditioned",
                  .seconds = in.costs.normal(),
                  .reads = 2.0,  // one where its bound of the rounding suffices
                  .tol = candidate::tol_for_x(in)});
}

}  // namespace

const MethodRecord& normal_record() {
  static const MethodRecord record{
      .info = {"normal", "normal equations by Cholesky, refined", trait::ridge, false},
      .make = construct<Normal>,
      .memory = normal_memory,
      .turn = Turn::factorisation,
      .propose = propose_normal,
      .trusted_condition = max_normal_condition,
      .by_normal_equations = true};
  return record;
}

}  // namespace polyak
