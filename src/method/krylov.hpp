#pragma once

// What the Krylov methods share: operations with one scalar per right-hand side, and the
// number of iterations that their records predict.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "method/record.hpp"

namespace polyak::internal {

/// ‖y_k‖² of each vector.
inline std::vector<double> squares(Backend& backend, const Block& y) {
  std::vector<double> out(to_size(y.vectors()));
  backend.dot(y, y, out);
  return out;
}

inline bool all_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0; });
}

inline std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

inline std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

/// Iterations of conjugate gradients to the tolerance: extrapolated from a subset of the rows,
/// or by its condition. Where nothing is known about them they count as many if there is a
/// factorisation to take instead.
double predicted_iterations(const CandidateInputs& in);

struct CgTrial {
  double expected;  ///< iterations, on a matrix of independent entries
  double limit;     ///< of iterations
};

/// Where the number of iterations is unknown: a trial of cg, if a matrix of independent entries
/// would take clearly less time than the cheapest factorisation, and if four iterations and a
/// measurement, from which the number is extrapolated, cost little compared with that.
std::optional<CgTrial> cg_trial(const CandidateInputs& in);

/// Vectors of length n: those of the method, their copies in a snapshot, and one of a rank's
/// rows.
double memory_of_row_vectors(const WorkingMemory& m);

}  // namespace polyak::internal
