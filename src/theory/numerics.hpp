#pragma once

// Roots and minima of functions, and symmetric operators given by their action on a vector.

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace polyak::theory::internal {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A point and the value there.
struct Sample {
  double at, value;
};
/// The zero of a decreasing f between low (value > 0) and high (value ≤ 0), by the Illinois
/// variant of false position, with bisection steps where that is slow. Values may be infinite.
/// Stops when the bracket is shorter than `width` or |f| ≤ `small`.
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
/// except at the start. Stops when the values at the corners differ by at most `tolerance` (times
/// max(1, |value|)) or after `evaluations` evaluations.
Minimum nelder_mead(const std::function<double(const std::vector<double>&)>& f,
                    std::vector<double> start, double step, double tolerance, int evaluations);

using Apply = std::function<void(std::span<const double> in, std::span<double> out)>;

/// The largest eigenvalue of a symmetric operator, by restarted Lanczos from x, which becomes a
/// unit eigenvector. Stops when the residual is below 1e-9·|value| (the error of the value is
/// then at most the square of the residual over the gap) or when the value stagnates.
double largest_eigenvalue(const Apply& apply, std::vector<double>& x);

/// Solves (shift·I − operator)·x = rhs by conjugate gradients; the shift must be above the
/// largest eigenvalue.
std::vector<double> solve_shifted(const Apply& apply, double shift, std::span<const double> rhs);

}  // namespace polyak::theory::internal
