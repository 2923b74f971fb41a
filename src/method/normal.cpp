#include <algorithm>
#include <cmath>

#include "method/method.hpp"
#include "method/preconditioner.hpp"
#include "spectrum/gram.hpp"

namespace polyak {
namespace {

// Newton's step with H = ÃᵀWÃ + ridge·I, again and again:
//   x_{k+1} = x_k − H⁺ g(x_k).
// The first is the answer of the normal equations, off by kappa·eps; each
// further one has a fresh gradient and takes that factor off the error again,
// as long as kappa·eps < 1 (kappa of AᵀA). The first iteration takes as many as
// bring x to where QR would have it.
class Normal final : public Method {
 public:
  explicit Normal(const Setting& setting)
      : Method(setting, 1), gradient_(setting_), g_(to_size(columns_ * d_)) {}

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step(k);
    state_.iteration = last;
  }

  std::optional<double> condition() const override {
    return factor_.built() ? std::optional(factor_.condition()) : std::nullopt;
  }
  const RankFound* rank() const override { return found_.known ? &found_ : nullptr; }

 private:
  void step(Index k) {
    if (!factor_.built()) build();
    if (k == 0) state_.row_products += setting_.problem.rows();  // H's
    if (k > 0 || !known_) state_.row_products += gradient_(k, block(0), view(g_));
    correct();
    for (int more = k > 0 ? 0 : corrections() - 1; more > 0; --more) {
      state_.row_products += gradient_(k, block(0), view(g_));
      correct();
    }
  }

  // Each takes off kappa·eps = condition²·eps; QR leaves condition·eps, and less than
  // 1e-11 nobody asks for.
  int corrections() const {
    constexpr double eps = 0x1p-52, enough = 1e-11;
    constexpr int most = 5;
    const double c = factor_.condition(), each = 2.0 * eps * c * c;
    if (!(each < 0.5)) return most;
    const double wanted = std::log(std::max(enough, eps * c)) / std::log(each);
    return std::clamp(static_cast<int>(std::ceil(wanted - 0.1)), 1, most);
  }

  void correct() {
    const View x = block(0), g = view(g_);
    factor_.apply(g);
    keep_unseen(setting_, g);
    for (Index i = 0; i < x.size(); ++i) x.data[i] -= unit_ * g.data[i];
  }

  // From x = 0 the first gradient is −Ãᵀb̃, which the same read of A gives.
  void build() {
    const Problem& problem = setting_.problem;
    const Scale scale = setting_.facts.scale;
    const auto& x = state_.vectors[0];
    known_ = scale.a == 1.0 && scale.b == 1.0 &&
             std::all_of(x.begin(), x.end(), [](double v) { return v == 0.0; });
    const auto factor = [&](Index i) {
      return problem.weights().empty() ? scale.a
                                       : scale.a * std::sqrt(problem.weights()[to_size(i)]);
    };
    const auto all = gram(problem.A(), factor, setting_.products.team(),
                          known_ ? problem.b() : ConstView{});
    const Index width = known_ ? d_ + columns_ : d_;
    Buffer H(d_, d_);
    for (Index i = 0; i < d_; ++i) {
      std::copy_n(all.data() + i * width, d_, H.view().row(i));
      H.view()(i, i) += ridge(i);
      for (Index c = 0; known_ && c < columns_; ++c)
        g_[to_size(c * d_ + i)] = -all[to_size(i * width + d_ + c)];
    }
    // A zero column is nobody's business: its step is 0 whatever stands here.
    Index unseen = 0;
    for (Index j : setting_.facts.zero_columns)
      if (H.view()(j, j) == 0.0) {
        H.view()(j, j) = 1.0;
        ++unseen;
      }
    factor_ = Preconditioner::of_matrix(std::move(H));
    found_ = {true, factor_.rank() - unseen,
              std::sqrt(static_cast<double>(d_) * 0x1p-52), {}, factor_.condition()};
  }

  GradientSource gradient_;
  std::vector<double> g_;
  Preconditioner factor_;
  RankFound found_;
  bool known_ = false;  // g_ holds the gradient at the start
};

}  // namespace

std::unique_ptr<Method> make_normal(const Setting& setting) {
  return std::make_unique<Normal>(setting);
}

}  // namespace polyak
