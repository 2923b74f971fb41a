#pragma once

// The oracle for small d: one step as a linear map of E zz', z = (e, e₋), written
// out as the (2d)² × (2d)² matrix E[Y ⊗ Y] in the space of x, with no use of an
// eigenbasis, gains or symmetry. Nothing here comes from the library.

#include <Eigen/Dense>
#include <unsupported/Eigen/KroneckerProduct>
#include <vector>

#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::theory {

struct Oracle {
  test::Rows A;
  Eigen::VectorXd p;  // probabilities
  double alpha, beta, ridge = 0.0;
  bool nesterov = false;

  Index d() const { return A.cols(); }

  /// The deterministic step with M in place of AᵀA.
  Eigen::MatrixXd transition(const Eigen::MatrixXd& M) const {
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(d(), d());
    const Eigen::MatrixXd G = M + ridge * I;
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(2 * d(), 2 * d());
    if (nesterov) {
      Y.topLeftCorner(d(), d()) = (1.0 + beta) * (I - alpha * G);
      Y.topRightCorner(d(), d()) = -beta * (I - alpha * G);
    } else {
      Y.topLeftCorner(d(), d()) = (1.0 + beta) * I - alpha * G;
      Y.topRightCorner(d(), d()) = -beta * I;
    }
    Y.bottomLeftCorner(d(), d()) = I;
    return Y;
  }

  /// E[Y ⊗ Y] for a batch: the mean twice, and 1/B times the covariance of one row.
  Eigen::MatrixXd second_moment_map(double batch) const {
    const Eigen::MatrixXd mean = transition(A.transpose() * A);
    const Eigen::MatrixXd fixed = Eigen::kroneckerProduct(mean, mean);
    Eigen::MatrixXd one = Eigen::MatrixXd::Zero(fixed.rows(), fixed.cols());
    for (Index i = 0; i < A.rows(); ++i) {
      if (p(i) <= 0.0) continue;
      const Eigen::MatrixXd Y = transition(A.row(i).transpose() * A.row(i) / p(i));
      one += p(i) * Eigen::kroneckerProduct(Y, Y).eval();
    }
    return fixed + (one - fixed) / batch;
  }

  /// The rate: the root of its spectral radius.
  double rate(double batch) const {
    return std::sqrt(test::spectral_radius(second_moment_map(batch)));
  }
};

/// What the library takes of the same problem: the nonzero spectrum, its
/// vectors, S and K in that basis.
struct Decomposed {
  std::vector<double> eigenvalues, eigenvectors, S, K;
  double frobenius2 = 0.0, eta = 1.0;

  Decomposed(const test::Rows& A, const Eigen::VectorXd& p) {
    const test::SymmetricEigen found = test::symmetric_eigen(A.transpose() * A);
    std::vector<Index> kept;
    for (Index j = 0; j < A.cols(); ++j) {
      if (found.values(j) > 1e-11 * found.values(A.cols() - 1)) kept.push_back(j);
    }
    Eigen::MatrixXd V(A.cols(), std::ssize(kept));
    for (Index j = 0; j < V.cols(); ++j) {
      V.col(j) = found.vectors.col(kept[to_size(j)]);
      eigenvalues.push_back(found.values(kept[to_size(j)]));
    }
    const test::Rows rows = V.transpose();
    eigenvectors.assign(rows.data(), rows.data() + rows.size());
    add_noise(A * V, A, p);
  }

 private:
  void add_noise(const test::Rows& At, const test::Rows& A, const Eigen::VectorXd& p) {
    frobenius2 = A.squaredNorm();
    test::Rows s = test::Rows::Zero(At.cols(), At.cols()), k = s;
    for (Index i = 0; i < A.rows(); ++i) {
      if (p(i) <= 0.0) continue;
      const double norm2 = A.row(i).squaredNorm();
      eta = std::max(eta, norm2 / (p(i) * frobenius2));
      s += norm2 / p(i) * At.row(i).transpose() * At.row(i);
      k += 1.0 / p(i) * At.row(i).cwiseAbs2().transpose() * At.row(i).cwiseAbs2();
    }
    S.assign(s.data(), s.data() + s.size());
    K.assign(k.data(), k.data() + k.size());
  }
};

inline ConstView rows_view(const test::Rows& A) { return {A.data(), A.rows(), A.cols(), A.cols()}; }
inline std::span<const double> span_of(const Eigen::VectorXd& v) {
  return {v.data(), to_size(v.size())};
}

inline Eigen::VectorXd uniform_law(const test::Rows& A) {
  return Eigen::VectorXd::Constant(A.rows(), 1.0 / static_cast<double>(A.rows()));
}
inline Eigen::VectorXd row_norm_law(const test::Rows& A) {
  return A.rowwise().squaredNorm() / A.squaredNorm();
}

}  // namespace polyak::theory
