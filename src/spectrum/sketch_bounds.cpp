#include "spectrum/sketch_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Three bars share the failures, each with tails of exp(−t²/2).
const double t = std::sqrt(2.0 * std::log(3.0 / sketch_failure));

// What sparse signs have beyond a Gaussian S: where two rows of A alone carry u,
// their one collision in a band changes ‖Su‖² by 1/copies of it, with probability
// copies²/(2s); two such collisions are too rare to count (28·16/s²). Three rows
// that carry u lose 2/3 of that each time, twice with probability 4416/s².
constexpr double jump = 1.1 / static_cast<double>(sketch_copies);

// Where the bars are looked for: this far from the end of the sketch's spectrum,
// as a share of the end itself.
constexpr double steps[] = {0.0,  0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15,
                            0.2,  0.25, 0.3,  0.4,  0.5,  0.7,  1.0};

// A = A' + √lambda·u·vᵀ with v the eigenvector at one end of the spectrum. Then
// SA(SA)ᵀ = XXᵀ + lambda·g·gᵀ, where X = SA' and g = Su are independent for a
// Gaussian S, and z is beyond the sketch's own end of the spectrum exactly when
//   lambda·gᵀ(z − XXᵀ)⁻¹g < 1 (at the top),  > 1 (at the bottom, between 0 and it).
// That form has the mean m(z) = tr(z − XXᵀ)⁻¹/s and the variance 2·tr(z − XXᵀ)⁻²/s²,
// with Laurent and Massart's tails; the eigenvalues of XXᵀ interlace with those
// of the sketch, and s − rank + 1 of them are zero. Any z will do: the best counts.
class Bounds {
 public:
  Bounds(std::span<const double> values, Index rows)
      : values_(values),
        s_(static_cast<double>(rows)),
        zeros_(s_ - static_cast<double>(values.size()) + 1.0) {}

  double top_high() const {
    double out = infinity;
    for (double step : steps) {
      const double z = values_.back() * (1.0 + step);
      const Form form = form_at(z, values_.first(values_.size() - 1));
      const double least = form.mean - std::max(t * form.scatter, jump * form.mean);
      if (least > 0.0) out = std::min(out, 1.0 / least);
    }
    return out;
  }

  double bottom_low() const {
    return best_below([](const Form& form, double z, double s) {
      return form.mean + std::max(t * form.scatter + t * t / (s * z), jump * std::abs(form.mean));
    });
  }

  double bottom_estimate() const {
    return best_below([](const Form& form, double, double) { return form.mean + form.scatter; });
  }

 private:
  struct Form {
    double mean, scatter;
  };

  Form form_at(double z, std::span<const double> others) const {
    double first = zeros_ / z, second = first / z;
    for (double l : others) {
      const double term = 1.0 / (z - l);
      first += term;
      second += term * term;
    }
    return {first / s_, std::sqrt(2.0 * second) / s_};
  }

  // The largest 1/bound(form, z, s) for z between 0 and the sketch's lower end.
  template <class Bound>
  double best_below(Bound bound) const {
    double out = 0.0;
    for (double step : steps) {
      const double z = values_.front() * (1.0 - step);
      if (!(z > 0.0)) continue;
      const double most = bound(form_at(z, values_.subspan(1)), z, s_);
      if (most > 0.0) out = std::max(out, 1.0 / most);
    }
    return out;
  }

  std::span<const double> values_;
  double s_, zeros_;
};

}  // namespace

SketchBounds sketch_bounds(std::span<const double> values, Index rows, double frobenius2) {
  SketchBounds out;
  if (values.empty()) return out;
  const double s = static_cast<double>(rows), rank = static_cast<double>(values.size());
  const Bounds bounds(values, rows);
  out.lambda_max_range.low = frobenius2 / rank;  // the mean of all
  out.lambda_max_range.high = std::min(bounds.top_high(), frobenius2);
  out.lambda_min = bounds.bottom_estimate();
  out.lambda_min_range.low = bounds.bottom_low();
  // No vector in the row space of A is shortened by more than this.
  const double squeeze = 1.0 - std::sqrt(rank / s) - std::max(t / std::sqrt(s), jump);
  out.lambda_min_range.high = squeeze > 0.0 ? values.front() / (squeeze * squeeze) : infinity;
  return out;
}

}  // namespace polyak
