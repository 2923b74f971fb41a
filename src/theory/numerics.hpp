#pragma once

// Small searches in one and a few dimensions.
//
// Symmetric operators known by what they do to a vector.

#include <functional>
#include <span>
#include <vector>

namespace polyak::theory {

/// A point and the value there.
struct Sample {
  double at, value;
};
/// A zero of a decreasing f between low (value > 0) and high (value ≤ 0), by
/// false position that halves the value at an end it keeps (Illinois), and
/// bisection where that is slow. Infinite values are allowed. Stops at a
/// bracket of `width` or a value within `small` of zero.
double falling_zero(const std::function<double(double)>& f, Sample low, Sample high, double width,
                    double small = 0.0);

/// The minimiser of a unimodal f on [low, high], by golden section.
double golden_section(const std::function<double(double)>& f, double low, double high,
                      double width);

struct Minimum {
  std::vector<double> at;
  double value;
};
/// Nelder and Mead's simplex from `start` with edges `step`; f may be infinite
/// except at the start. Stops when the values agree to `tolerance` (relative to
/// 1 or their size) or after `evaluations`.
Minimum nelder_mead(const std::function<double(const std::vector<double>&)>& f,
                    std::vector<double> start, double step, double tolerance, int evaluations);

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
