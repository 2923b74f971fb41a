#include "method/krylov.hpp"

namespace polyak {
namespace {

// Paige and Saunders' LSQR (1982): Golub-Kahan bidiagonalisation with a QR
// update. A ridge term is the augmented system [Ã; √ridge·I]x̃ = [b̃; 0] run
// plainly, so it stays about x itself whatever the start vector is; the lower
// part of u is the block `tail`.
class Lsqr final : public Method {
 public:
  explicit Lsqr(const Setting& setting)
      : Method(setting, 4),  // x, v, w, tail of u
        n_(setting.problem.rows()),
        scratch_(to_size(std::max(n_, d_) * columns_)),
        root_ridge_(to_size(d_)) {
    for (Index j = 0; j < d_; ++j) root_ridge_[to_size(j)] = std::sqrt(ridge(j));
    state_.vectors.emplace_back(to_size(n_ * columns_));  // 4: the head of u
    for (int i = 0; i < 3; ++i) state_.vectors.emplace_back(to_size(columns_));  // 5, 6, 7
    start_residual(setting_, block(0), head());
    for (Index c = 0; c < columns_; ++c)
      for (Index j = 0; j < d_; ++j)
        block(3)(c, j) = -root_ridge_[to_size(j)] * (block(0)(c, j) / unit_);
    const std::vector<double> beta = normalise_u();
    for (Index c = 0; c < columns_; ++c) scalar(phi_bar, c) = beta[to_size(c)];
    std::fill(state_.vectors[1].begin(), state_.vectors[1].end(), 0.0);
    next_v(std::vector<double>(to_size(columns_), 0.0));
    for (Index c = 0; c < columns_; ++c) scalar(rho_bar, c) = scalar(alpha, c);
    state_.vectors[2] = state_.vectors[1];
    state_.row_products = 2 * n_;
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step();
    state_.iteration = last;
  }

  SolverState whole_state() const override {
    SolverState out = state_;
    gather_rows(setting_.problem.A(), columns_, out.vectors[4]);
    return out;
  }

  bool finished() const override {
    for (Index c = 0; c < columns_; ++c)
      if (scalar(phi_bar, c) != 0.0 && scalar(alpha, c) != 0.0) return false;
    return true;
  }

 private:
  enum Scalar { phi_bar = 5, rho_bar = 6, alpha = 7 };
  double& scalar(Scalar s, Index c) { return state_.vectors[s][to_size(c)]; }
  double scalar(Scalar s, Index c) const { return state_.vectors[s][to_size(c)]; }
  View head() { return {state_.vectors[4].data(), n_, columns_, columns_}; }

  // beta u = u; beta = ‖u‖.
  std::vector<double> normalise_u() {
    std::vector<double> beta = column_squares(setting_.products, head());
    for (Index c = 0; c < columns_; ++c) {
      const double norm = std::sqrt(beta[to_size(c)] + squares(block(3).row(c), d_));
      beta[to_size(c)] = norm;
      if (norm == 0.0) continue;
      for (Index j = 0; j < d_; ++j) block(3)(c, j) /= norm;
    }
    const View u = head();
    setting_.products.for_row_chunks([&](Index, Index first, Index last) {
      for (Index i = first; i < last; ++i)
        for (Index c = 0; c < columns_; ++c)
          if (beta[to_size(c)] != 0.0) u(i, c) /= beta[to_size(c)];
    });
    return beta;
  }

  // beta u = Ãv − alpha u.
  std::vector<double> next_u() {
    const View product{scratch_.data(), n_, columns_, columns_}, u = head();
    setting_.products.multiply(block(1), product);
    setting_.products.for_row_chunks([&](Index, Index first, Index last) {
      for (Index i = first; i < last; ++i)
        for (Index c = 0; c < columns_; ++c)
          u(i, c) = product(i, c) - scalar(alpha, c) * u(i, c);
    });
    for (Index c = 0; c < columns_; ++c)
      for (Index j = 0; j < d_; ++j)
        block(3)(c, j) = root_ridge_[to_size(j)] * block(1)(c, j) - scalar(alpha, c) * block(3)(c, j);
    return normalise_u();
  }

  // alpha v = Ãᵀu − beta v.
  void next_v(const std::vector<double>& beta) {
    const View product{scratch_.data(), columns_, d_, d_};
    setting_.products.transposed(head(), product);
    for (Index c = 0; c < columns_; ++c) {
      for (Index j = 0; j < d_; ++j) {
        const double Atu = product(c, j) + root_ridge_[to_size(j)] * block(3)(c, j);
        block(1)(c, j) = Atu - beta[to_size(c)] * block(1)(c, j);
      }
      const double norm = std::sqrt(squares(block(1).row(c), d_));
      scalar(alpha, c) = norm;
      for (Index j = 0; norm > 0.0 && j < d_; ++j) block(1)(c, j) /= norm;
    }
  }

  void step() {
    if (finished()) return;
    const std::vector<double> beta = next_u();
    next_v(beta);
    for (Index c = 0; c < columns_; ++c) rotate(c, beta[to_size(c)]);
    state_.row_products += 2 * n_;
  }

  void rotate(Index c, double beta) {
    const double rho = std::hypot(scalar(rho_bar, c), beta);
    if (rho == 0.0) return;
    const double cosine = scalar(rho_bar, c) / rho, sine = beta / rho;
    const double theta = sine * scalar(alpha, c), phi = cosine * scalar(phi_bar, c);
    scalar(rho_bar, c) = -cosine * scalar(alpha, c);
    scalar(phi_bar, c) *= sine;
    for (Index j = 0; j < d_; ++j) {
      block(0)(c, j) += unit_ * (phi / rho * block(2)(c, j));
      block(2)(c, j) = block(1)(c, j) - theta / rho * block(2)(c, j);
    }
  }

  Index n_;
  RowNumbers scratch_;
  std::vector<double> root_ridge_;
};

}  // namespace

std::unique_ptr<Method> make_lsqr(const Setting& setting) {
  return std::make_unique<Lsqr>(setting);
}

}  // namespace polyak
