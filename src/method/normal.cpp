#include <algorithm>
#include <cmath>
#include <utility>

#include "method/least_norm.hpp"
#include "method/preconditioner.hpp"
#include "problem/least_squares.hpp"
#include "spectrum/gram.hpp"

namespace polyak {
namespace {

// Newton steps with H = ÃᵀWÃ + ridge·I:
//   x_{k+1} = x_k − H⁺ g(x_k).
// The first is the answer of the normal equations, off by kappa·eps; each
// further one has a fresh gradient and takes that factor off the error again,
// as long as kappa·eps < 1 (kappa of AᵀA). The first iteration takes as many as
// bring x to where QR would have it.
class Normal final : public Method {
 public:
  explicit Normal(const Setting& setting) : Method(setting), gradient_(setting_), g_(unknowns()) {}

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step(k);
    counters_.iteration = last;
  }

  bool finished() const override { return gives_up(); }
  std::optional<double> condition() const override {
    if (unresolved_) return INFINITY;
    return factor_.built() ? std::optional(factor_.condition()) : std::nullopt;
  }
  const RankFound* rank() const override { return found_.known ? &found_ : nullptr; }

 private:
  void step(Index k) {
    if (!factor_.built() && !unresolved_) build();
    if (gives_up()) return;
    if (k == 0) counters_.row_products += setting_.problem.rows();  // H's
    if (k > 0 || !known_) counters_.row_products += gradient_(k, x_, g_);
    correct();
    for (int more = k > 0 ? 0 : corrections() - 1; more > 0; --more) {
      counters_.row_products += gradient_(k, x_, g_);
      correct();
    }
    if (k == 0 && factor_.null_space().cols() > 0) shorten_step();
  }

  bool gives_up() const { return unresolved_ && setting_.parameters.only_resolved; }

  // Where columns are scaled the step from the start is the shortest in their units only.
  void shorten_step() {
    const ConstView start = setting_.problem.x0();
    std::vector<double> x = read_x();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= start.data[i];
    shorten(setting_, factor_.null_space().view(), host_view(x));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += start.data[i];
    write_x(x);
  }

  // Each takes off kappa·eps = condition²·eps; QR leaves condition·eps, and less than
  // 1e-11 nobody asks for.
  int corrections() const {
    constexpr double eps = 0x1p-52, enough = 1e-11;
    constexpr int most = 5;
    const double c = factor_.condition(), each = 2.0 * eps * c * c;
    if (!(each < 0.5)) return 2;  // more would not mend what A'A does not resolve
    const double wanted = std::log(std::max(enough, eps * c)) / std::log(each);
    return std::clamp(static_cast<int>(std::ceil(wanted - 0.1)), 1, most);
  }

  void correct() {
    std::vector<double> g = backend().host_copy(g_);
    factor_.apply(host_view(g));
    keep_zero_columns(setting_, host_view(g));
    backend().write(host_view(std::as_const(g)), g_);
    backend().axpby(-unit_, g_, 1.0, x_);
  }

  // From x = 0 the first gradient is −Ãᵀb̃, which the same read of A gives.
  void build() {
    const Problem& problem = setting_.problem;
    const Scale scale = setting_.facts.scale;
    const std::vector<double> x = read_x();
    known_ = scale.a == 1.0 && scale.b == 1.0 &&
             std::all_of(x.begin(), x.end(), [](double v) { return v == 0.0; });
    std::vector<double> g(to_size(vectors_ * d_));
    const auto factor = [&](Index i) {
      return problem.weights().empty() ? scale.a
                                       : scale.a * std::sqrt(problem.weights()[to_size(i)]);
    };
    const auto all = gram(problem.A(), factor, setting_.team, known_ ? problem.b() : ConstView{});
    const Index width = known_ ? d_ + vectors_ : d_;
    Buffer H(d_, d_);
    for (Index i = 0; i < d_; ++i) {
      std::copy_n(all.data() + i * width, d_, H.view().row(i));
      H.view()(i, i) += ridge(i);
      for (Index c = 0; known_ && c < vectors_; ++c)
        g[to_size(c * d_ + i)] = -all[to_size(i * width + d_ + c)];
    }
    if (known_) backend().write(host_view(std::as_const(g)), g_);
    // The step of a zero column is 0 whatever stands here: something of the others' size.
    double largest = 0.0;
    for (Index j = 0; j < d_; ++j) largest = std::max(largest, H.view()(j, j));
    Index unseen = 0;
    for (Index j : setting_.facts.zero_columns)
      if (H.view()(j, j) == 0.0) {
        H.view()(j, j) = largest;
        ++unseen;
      }
    find_factor(std::move(H), unseen);
  }

  // A null space that A itself confirms is taken as it is; what A'A does not resolve is left
  // to its eigenvalues, or to others.
  void find_factor(Buffer H, Index unseen) {
    const double line = std::sqrt(static_cast<double>(d_) * 0x1p-52);
    factor_ = Preconditioner::of_matrix(H.view());
    const auto found = [&](double threshold) {
      found_ = {true, factor_.rank() - unseen, threshold, {}, {}};
    };
    if (factor_.built() && factor_.full_rank()) return found(line);
    if (factor_.built() && sees_nothing_of(factor_.null_space().view())) {
      factor_.trust_null_space();
      return found(rank_threshold(setting_.problem.rows(), d_));
    }
    unresolved_ = true;
    if (setting_.parameters.only_resolved) return;
    factor_ = Preconditioner::of_eigenvalues(std::move(H));
    found(line);
  }

  // AᵀA cannot tell a small singular value from none, but A itself can: N is its null space
  // where ‖A·v‖ is rounding for each of its vectors. One read for some of them.
  bool sees_nothing_of(ConstView N) {
    if (N.cols == 0 || N.cols > Preconditioner::most_dependent || has_ridge()) return false;
    const Problem& problem = setting_.problem;
    Buffer vectors(N.cols, d_);
    for (Index k = 0; k < N.cols; ++k)
      for (Index j = 0; j < d_; ++j) vectors.view()(k, j) = N(j, k);
    const Block v = backend().make(Block::Kind::unknowns, N.cols);
    const Block q = backend().make(Block::Kind::unknowns, N.cols);
    std::vector<double> sizes2(to_size(N.cols));  // ‖Ãv‖²
    backend().write(std::as_const(vectors).view(), v);
    backend().normal_product(v, q, sizes2);
    counters_.row_products += problem.rows();
    const double line = rank_threshold(problem.rows(), d_);
    return std::all_of(sizes2.begin(), sizes2.end(), [&](double size2) {
      return size2 <= line * line * setting_.facts.frobenius2;
    });
  }

  GradientSource gradient_;
  Block g_;
  Preconditioner factor_;
  RankFound found_;
  bool known_ = false;       // g_ holds the gradient at the start
  bool unresolved_ = false;  // A'A does not tell A from a singular matrix
};

}  // namespace

std::unique_ptr<Method> make_normal(const Setting& setting) {
  return std::make_unique<Normal>(setting);
}

}  // namespace polyak
