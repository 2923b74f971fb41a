#include "method/krylov.hpp"

namespace polyak {
namespace {

// Paige and Saunders' LSQR (1982): Golub-Kahan bidiagonalisation with a QR
// update. A ridge term is the augmented system [Ã; √ridge·I]x̃ = [b̃; 0] without
// shortcuts, so that it stays about x itself whatever the start vector is; u consists of
// its head (n equations) and its tail (d more).
class Lsqr final : public Method {
 public:
  explicit Lsqr(const Setting& setting)
      : Method(setting),
        n_(setting.problem.rows()),
        v_(unknowns()),
        w_(unknowns()),
        tail_(unknowns()),
        Atu_(unknowns()),
        head_(equations()),
        Av_(equations()),
        root_ridge_(diagonal(root_ridges())),
        phi_bar_(to_size(vectors_)),
        rho_bar_(phi_bar_),
        alpha_(phi_bar_),
        ones_(to_size(vectors_), 1.0) {
    save_block(v_);
    save_block(w_);
    save_block(tail_);
    save_block(head_);
    for (auto* scalars : {&phi_bar_, &rho_bar_, &alpha_}) save_numbers(*scalars);
    backend().residual(x_, head_);
    backend().add_diagonal(-1.0 / unit_, root_ridge_, x_, tail_);
    phi_bar_ = normalise_u();
    next_v(std::vector<double>(to_size(vectors_), 0.0));
    rho_bar_ = alpha_;
    backend().copy(v_, w_);
    counters_.row_products = 2 * n_;
  }

  void advance(Index first, Index last) override {
    for (Index k = first; k < last; ++k) step();
    counters_.iteration = last;
  }

  bool finished() const override {
    for (std::size_t c = 0; c < alpha_.size(); ++c)
      if (phi_bar_[c] != 0.0 && alpha_[c] != 0.0) return false;
    return true;
  }

 private:
  std::vector<double> root_ridges() const {
    std::vector<double> out = ridges();
    for (double& value : out) value = std::sqrt(value);
    return out;
  }

  // beta = ‖u‖, u = u/beta.
  std::vector<double> normalise_u() {
    std::vector<double> beta = squares(backend(), head_);
    const std::vector<double> of_tail = squares(backend(), tail_);
    for (std::size_t c = 0; c < beta.size(); ++c) beta[c] = std::sqrt(beta[c] + of_tail[c]);
    backend().divide(beta, tail_);
    backend().divide(beta, head_);
    return beta;
  }

  // beta u = Ãv − alpha u.
  std::vector<double> next_u() {
    backend().multiply(v_, Av_);
    const std::vector<double> minus_alpha = negated(alpha_);
    backend().axpby(ones_, Av_, minus_alpha, head_);
    backend().axpby(std::vector<double>(alpha_.size(), 0.0), v_, minus_alpha, tail_);
    backend().add_diagonal(1.0, root_ridge_, v_, tail_);
    return normalise_u();
  }

  // alpha v = Ãᵀu − beta v.
  void next_v(const std::vector<double>& beta) {
    backend().multiply_transposed(head_, Atu_);
    backend().add_diagonal(1.0, root_ridge_, tail_, Atu_);
    backend().axpby(ones_, Atu_, negated(beta), v_);
    alpha_ = squares(backend(), v_);
    for (double& alpha : alpha_) alpha = std::sqrt(alpha);
    backend().divide(alpha_, v_);
  }

  void step() {
    if (finished()) return;
    const std::vector<double> beta = next_u();
    next_v(beta);
    rotate(beta);
    counters_.row_products += 2 * n_;
  }

  // The plane rotation that keeps the bidiagonal matrix upper triangular:
  //   x += (phi/rho)·w,  w = v − (theta/rho)·w.
  void rotate(const std::vector<double>& beta) {
    std::vector<double> of_x(beta.size(), 0.0), of_v(beta.size(), 0.0), of_w(beta.size(), 1.0);
    for (std::size_t c = 0; c < beta.size(); ++c) {
      const double rho = std::hypot(rho_bar_[c], beta[c]);
      if (rho == 0.0) continue;
      const double cosine = rho_bar_[c] / rho, sine = beta[c] / rho;
      of_x[c] = unit_ * (cosine * phi_bar_[c] / rho);
      of_v[c] = 1.0;
      of_w[c] = -(sine * alpha_[c] / rho);
      rho_bar_[c] = -cosine * alpha_[c];
      phi_bar_[c] *= sine;
    }
    backend().axpby(of_x, w_, ones_, x_);
    backend().axpby(of_v, v_, of_w, w_);
  }

  Index n_;
  Block v_, w_, tail_, Atu_;  // of unknowns
  Block head_, Av_;           // of equations
  Block root_ridge_;
  std::vector<double> phi_bar_, rho_bar_, alpha_;
  const std::vector<double> ones_;
};

// It needs no facts about A and little memory.
Proposal propose_lsqr(const CandidateInputs& in) {
  return propose({.method = lsqr_record().info.name,
                  .why = "needs no factorisation",
                  .seconds = in.costs.krylov(predicted_iterations(in), 2.0),
                  .reads = 2.0 * predicted_iterations(in) + Costs::overhead_passes});
}

}  // namespace

const MethodRecord& lsqr_record() {
  static const MethodRecord record{
      .info = {"lsqr", "Paige and Saunders' LSQR", trait::ridge, false},
      .make = construct<Lsqr>,
      .reads_per_iteration = 2.0,
      .memory = memory_of_row_vectors,
      .turn = Turn::last,
      .propose = propose_lsqr,
      .krylov = true,
      .prediction = Prediction::krylov};
  return record;
}

}  // namespace polyak
