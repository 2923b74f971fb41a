#pragma once

// The problems of `bench solve`, each made from a seed and from the number of
// rows where rows are many (a million in the recorded runs, to which the other
// sizes belong). All have their least squares solution as reference.

#include <string>

#include "polyak/generate.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench {

struct Problems {
  Index rows;
  std::uint64_t seed;
  int threads;

  /// The paper's: rows × 100 (twenty where rows are few), `noise` the radius.
  Problem paper(Decay decay, double rho, double kappa, double noise = 0.0) const;
  /// The same with noise a tenth as large as b.
  Problem noisy(Decay decay, double rho, double kappa) const;
  /// rows/5 × 200, singular values from 1 to 1/condition evenly in their
  /// logarithm, noise.
  Problem graded(double condition) const;
  /// rows/5 × 2000 normal numbers; `noise` the radius.
  Problem gaussian(double noise) const;
  Index gaussian_columns() const;
  /// rows/5 × 50 normal numbers and b, twenty rows a thousand times heavier.
  Problem heavy() const;
  /// rows/10 × 60, two columns equal.
  Problem repeated() const;
  /// 400 × 4000.
  Problem wide() const;
  /// CSR, rows × rows/100, twenty entries a row, consistent.
  Problem sparse() const;
  /// A phantom of 64 × 64 pixels seen by 128 detector elements from 720 sides.
  Problem scan() const;

 private:
  GenerateOptions options(double noise) const;
  SpectrumProblem shape(Decay decay, double rho, double kappa) const;
  std::vector<double> normals(Index count, std::uint64_t which) const;
  Problem solved(MatrixPtr A, std::vector<double> b) const;
};

/// A and b with the reference by QR, of least norm.
Problem with_reference(MatrixPtr A, Array b, int threads);

}  // namespace polyak::bench
