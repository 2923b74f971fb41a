#pragma once

/// \file generate.hpp
/// Generated problems: those of the paper's experiments, and others for tests.
///
/// Everything is a function of the arguments and the seed: the same bits for any number of
/// threads, and no two parts of a problem use the same random numbers. Arguments out of range
/// are an Error usage that names the field.

#include <cstdint>
#include <string>
#include <vector>

#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// A problem with a known solution.
struct GeneratedProblem {
  MatrixPtr A;
  Array b;          ///< n × 1: A·x_planted, plus the noise
  Array x_planted;  ///< d × 1
  /// d × 1: the solution that a solver should find. Without noise the planted x; with noise
  /// the minimiser of ‖A·x − b‖, by QR (if A has a null space, the minimiser nearest to the
  /// planted x).
  Array x_least_squares;
  double residual_norm = 0.0;  ///< ‖A·x_least_squares − b‖, zero without noise
  /// Eigenvalues of AᵀA in the order of the formula; empty if they are not known.
  std::vector<double> squared_singular_values;
};

/// Arguments of every generator.
struct GenerateOptions {
  std::uint64_t seed = 0;
  /// Norm of the noise, which is uniform on the sphere ‖epsilon‖ = noise in R^n.
  double noise = 0.0;
  int threads = 0;  ///< 0 means all cores; does not change the result
};

enum class Decay { exponential, algebraic, given };

/// A = U·Σ·Vᵀ with U (n × d) and V (d × d) uniform among matrices with
/// orthonormal columns (Haar), and squared singular values, j = 1 … d,
///   exponential:  1 + (j−1)/(d−1) · (kappa − 1) · rho^(d−j)
///   algebraic:    1 + ((j−1)/(d−1))^rho · (kappa − 1)
///   given:        the list.
/// kappa is then the condition number of AᵀA. Planted x: iid N(0, 1).
struct SpectrumProblem {
  Index rows = 1'000'000;  ///< at least cols
  Index cols = 100;
  Decay decay = Decay::exponential;
  double kappa = 100.0;                              ///< at least 1; must be 1 when cols is 1
  double rho = 0.5;                                  ///< above 0
  std::vector<double> squared_singular_values = {};  ///< with Decay::given: cols numbers ≥ 0
};
GeneratedProblem generate(const SpectrumProblem& problem, const GenerateOptions& options = {});

/// The squared singular values of that problem, without making A.
std::vector<double> squared_singular_values(const SpectrumProblem& problem);

/// A = D·G: the entries of G are 1 with probability 1/10 and 0 otherwise; the
/// diagonal of D is 1 with probability 9/10 and 10 otherwise. The rows
/// differ in norm, so uniform and row-norm sampling differ. Planted x: iid N(0, 1).
struct SamplingProblem {
  Index rows = 1'000'000;
  Index cols = 100;    ///< below 2^31
  bool dense = false;  ///< false: compressed sparse rows
};
GeneratedProblem generate(const SamplingProblem& problem, const GenerateOptions& options = {});

/// The problem of the two-dimensional figure: copies of the 2 × 2 matrix
/// Uᵀ·diag(1, 2.25)·U, U the rotation by 1.2 rad, on top of each other; x = 0.
struct StackedProblem {
  Index copies = 100;
};
GeneratedProblem generate(const StackedProblem& problem, const GenerateOptions& options = {});

/// A dense A of any shape with iid N(0, 1) entries. Planted x: iid N(0, 1).
struct GaussianProblem {
  Index rows = 1000;
  Index cols = 10;
};
GeneratedProblem generate(const GaussianProblem& problem, const GenerateOptions& options = {});

/// Problems like those of users; kind, sizes, parameters and noise are functions of the seed.
/// Seeds 2m and 2m + 1 have the same kind. Among 24 consecutive seeds the even ones, and also
/// the odd ones, contain every kind once; among 96 every kind with every noise level. Most are
/// solved in less than a second.
struct VariedProblem {
  std::string kind;
  Index rows = 0, cols = 0;
  double relative_noise = 0.0;  ///< ‖epsilon‖/‖A·x_planted‖: 0, 1e-6, 1e-2 or 1
  std::string text;             ///< kind, sizes, parameters and noise in one line
};
VariedProblem varied_problem(std::uint64_t seed);
/// The kinds: spectrum, sparse, binary, one-hot, banded, near-square, skewed, counts,
/// polynomial, lagged, blurred, offset.
std::vector<std::string> varied_kinds();
/// If the columns are linearly dependent, x_least_squares is one of several minimisers.
GeneratedProblem generate_varied(std::uint64_t seed, int threads = 0);

}  // namespace polyak
#pragma GCC visibility pop
