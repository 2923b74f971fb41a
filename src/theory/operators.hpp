#pragma once

// Symmetric operators known by what they do to a vector.

#include <functional>
#include <span>
#include <vector>

namespace polyak::theory {

using Apply = std::function<void(std::span<const double> in, std::span<double> out)>;

/// The largest eigenvalue of a symmetric operator, by restarted Lanczos from x,
/// which becomes a unit eigenvector. Stops when the residual is below
/// 1e-9·|value| (the value is then good to the square of that over the gap) or
/// the value has settled.
double largest_eigenvalue(const Apply& apply, std::vector<double>& x);

/// x with (shift·I − operator)·x = rhs, by conjugate gradients, for a shift
/// above the largest eigenvalue.
std::vector<double> solve_shifted(const Apply& apply, double shift, std::span<const double> rhs);

}  // namespace polyak::theory
