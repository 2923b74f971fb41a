#include "theory/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace polyak::theory {
namespace {

using Point = std::vector<double>;

// a + factor·(b − a).
Point towards(const Point& a, const Point& b, double factor) {
  Point out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + factor * (b[i] - a[i]);
  return out;
}

class Simplex {
 public:
  Simplex(const std::function<double(const Point&)>& f, const Point& start, double step) : f_(f) {
    add(start);
    for (std::size_t i = 0; i < start.size(); ++i) {
      Point corner = start;
      corner[i] += step;
      add(std::move(corner));
    }
    sort();
  }

  bool flat(double tolerance) const {
    const double best = corners_.front().value;
    return corners_.back().value - best <= tolerance * std::max(1.0, std::abs(best));
  }
  int evaluations() const { return evaluations_; }
  const Minimum& best() const { return corners_.front(); }

  // Reflect the worst corner; then expand, contract or shrink.
  void improve() {
    const Minimum& worst = corners_.back();
    const Point centre = centre_of_others();
    Minimum next = at(towards(worst.at, centre, 2.0));
    if (next.value < best().value) {
      Minimum farther = at(towards(worst.at, centre, 3.0));
      if (farther.value < next.value) next = std::move(farther);
    } else if (!(next.value < corners_[corners_.size() - 2].value)) {
      next = at(towards(worst.at, centre, next.value < worst.value ? 1.5 : 0.5));
    }
    if (next.value < worst.value)
      corners_.back() = std::move(next);
    else
      shrink();
    sort();
  }

 private:
  Minimum at(Point point) {
    ++evaluations_;
    const double value = f_(point);
    return {std::move(point), value};
  }
  void add(Point point) { corners_.push_back(at(std::move(point))); }

  Point centre_of_others() const {
    Point sum(corners_.front().at.size(), 0.0);
    for (std::size_t c = 0; c + 1 < corners_.size(); ++c) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += corners_[c].at[i];
    }
    for (double& v : sum) v /= static_cast<double>(corners_.size() - 1);
    return sum;
  }

  void shrink() {
    for (std::size_t c = 1; c < corners_.size(); ++c)
      corners_[c] = at(towards(best().at, corners_[c].at, 0.5));
  }

  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Minimum& a, const Minimum& b) { return a.value < b.value; });
  }

  const std::function<double(const Point&)>& f_;
  std::vector<Minimum> corners_;
  int evaluations_ = 0;
};

}  // namespace

double falling_zero(const std::function<double(double)>& f, Sample low, Sample high, double width,
                    double small) {
  int kept = 0;  // how often an end stayed: high if negative, low if positive
  for (int i = 0; i < 200 && high.at - low.at > width; ++i) {
    const double span = low.value - high.value;
    double next = low.at + (high.at - low.at) * (low.value / span);
    if (i % 8 == 7 || !std::isfinite(span) || !(next > low.at && next < high.at))
      next = 0.5 * (low.at + high.at);
    if (next <= low.at || next >= high.at) break;
    const double value = f(next);
    if (std::abs(value) <= small) return next;
    const bool right = value > 0.0;
    (right ? low : high) = {next, value};
    kept = right ? std::min(kept, 0) - 1 : std::max(kept, 0) + 1;
    if (kept <= -2) high.value *= 0.5;
    if (kept >= 2) low.value *= 0.5;
  }
  return 0.5 * (low.at + high.at);
}

double golden_section(const std::function<double(double)>& f, double low, double high,
                      double width) {
  const double ratio = std::numbers::phi - 1.0;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double f_a = f(a), f_b = f(b);
  while (high - low > width) {
    if (f_a <= f_b) {
      high = b, b = a, f_b = f_a;
      f_a = f(a = high - ratio * (high - low));
    } else {
      low = a, a = b, f_a = f_b;
      f_b = f(b = low + ratio * (high - low));
    }
  }
  return f_a <= f_b ? a : b;
}

Minimum nelder_mead(const std::function<double(const std::vector<double>&)>& f,
                    std::vector<double> start, double step, double tolerance, int evaluations) {
  Simplex simplex(f, start, step);
  while (simplex.evaluations() < evaluations && !simplex.flat(tolerance)) simplex.improve();
  return simplex.best();
}

}  // namespace polyak::theory
