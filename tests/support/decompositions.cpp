#include "support/decompositions.hpp"

namespace polyak::test {

using Eigen::MatrixXd;

MatrixXd qr_solution(const MatrixXd& A, const MatrixXd& b) { return A.householderQr().solve(b); }

MatrixXd least_norm_solution(const MatrixXd& A, const MatrixXd& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

MatrixXd spd_solution(const MatrixXd& H, const MatrixXd& g) { return H.ldlt().solve(g); }

MatrixXd orthonormal(const MatrixXd& A) {
  return A.householderQr().householderQ() * MatrixXd::Identity(A.rows(), A.cols());
}

MatrixXd triangle(const MatrixXd& A) {
  return A.householderQr().matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

MatrixXd pseudo_inverse(const MatrixXd& A) {
  return A.completeOrthogonalDecomposition().pseudoInverse();
}

Eigen::VectorXd singular_values(const MatrixXd& A) {
  return Eigen::JacobiSVD<MatrixXd>(A).singularValues();
}

SymmetricEigen symmetric_eigen(const MatrixXd& S) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(S);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double spectral_radius(const MatrixXd& M) { return M.eigenvalues().cwiseAbs().maxCoeff(); }

}  // namespace polyak::test
