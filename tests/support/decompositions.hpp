#pragma once

// Eigen's decompositions, compiled once: the oracle of many tests, and most of the time it takes
// to compile them. Row-major matrices are converted on the way.

#include <Eigen/Dense>

namespace polyak::test {

/// min ‖Ax − b‖ for independent columns, by Householder QR.
Eigen::MatrixXd qr_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
/// The x of least norm among those, for any A, by a complete orthogonal decomposition.
Eigen::MatrixXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
/// H⁻¹g for a symmetric positive definite H.
Eigen::MatrixXd spd_solution(const Eigen::MatrixXd& H, const Eigen::MatrixXd& g);
/// As many orthonormal columns as A has, spanning the same.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& A);
/// The upper triangle R of A = QR, columns × columns.
Eigen::MatrixXd triangle(const Eigen::MatrixXd& A);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);
/// From the largest down.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

/// Of a symmetric matrix, from the smallest up; vectors are columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& S);
/// The largest |eigenvalue| of any square matrix.
double spectral_radius(const Eigen::MatrixXd& M);

}  // namespace polyak::test
