#include "theory/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/svd.hpp"

namespace polyak::theory::internal {
using namespace polyak::internal;

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

  // Reflects the worst corner, then expands, contracts or shrinks.
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

using Vector = std::vector<double>;

constexpr Index cycle_length = 12;
constexpr int max_cycles = 100;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(double factor, std::span<const double> a, std::span<double> to) {
  for (std::size_t i = 0; i < a.size(); ++i) to[i] += factor * a[i];
}

// Scales v to norm 1 and returns its old norm; a zero v is left as it is.
double normalise(std::span<double> v) {
  const double norm = std::sqrt(dot(v, v));
  if (norm > 0.0) {
    for (double& value : v) value /= norm;
  }
  return norm;
}

struct Ritz {
  double value = 0.0;
  double residual = 0.0;
  bool converged() const { return residual <= 1e-9 * std::abs(value); }
};

// One Lanczos cycle from the unit vector x, with full reorthogonalisation; x becomes the Ritz
// vector of the largest Ritz value.
class Cycle {
 public:
  Cycle(const Apply& apply, Vector& x) : apply_(apply) {
    basis_.push_back(x);
    const Index max_basis = std::min<Index>(cycle_length, std::ssize(x));
    bool go_on = true;
    while (go_on) {
      go_on = extend() && std::ssize(diagonal_) < max_basis;
      if (!go_on || std::ssize(diagonal_) % 4 == 0) go_on = !solve() && go_on;
    }
    combine(x);
  }
  Ritz ritz() const { return ritz_; }

 private:
  // Adds a basis vector; false if the Krylov space is invariant.
  bool extend() {
    Vector next(basis_.back().size());
    apply_(basis_.back(), next);
    diagonal_.push_back(dot(basis_.back(), next));
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& v : basis_) add(-dot(v, next), v, next);
    }
    const double size = std::abs(diagonal_.front()) + std::abs(diagonal_.back());
    below_.push_back(normalise(next));
    if (below_.back() <= 1e-15 * size) return below_.back() = 0.0, false;
    basis_.push_back(std::move(next));
    return true;
  }

  // The largest Ritz pair of the current basis; true if it has converged.
  bool solve() {
    const Index m = std::ssize(diagonal_);
    Vector T(to_size(m * m), 0.0), values(to_size(m));
    const View view{T.data(), m, m, m};
    for (Index i = 0; i < m; ++i) {
      view(i, i) = diagonal_[to_size(i)];
      if (i + 1 < m) view(i, i + 1) = below_[to_size(i)];
    }
    if (!symmetric_eigen(view, values)) return false;
    weights_.assign(view.row(m - 1), view.row(m - 1) + m);
    ritz_ = {values.back(), std::abs(below_.back() * weights_.back())};
    return ritz_.converged();
  }

  void combine(Vector& x) const {
    if (weights_.empty()) return;
    std::fill(x.begin(), x.end(), 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) add(weights_[i], basis_[i], x);
    normalise(x);
  }

  const Apply& apply_;
  std::vector<Vector> basis_;
  Vector diagonal_, below_, weights_;
  Ritz ritz_;
};

}  // namespace

double falling_zero(const std::function<double(double)>& f, Sample low, Sample high, double width,
                    double small) {
  int kept = 0;  // how often in a row an end was kept: high if negative, low if positive
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

double largest_eigenvalue(const Apply& apply, std::vector<double>& x) {
  normalise(x);
  double last = 0.0;
  int unchanged = 0;
  for (int c = 0; c < max_cycles; ++c) {
    const Ritz ritz = Cycle(apply, x).ritz();
    unchanged = std::abs(ritz.value - last) <= 1e-14 * std::abs(ritz.value) ? unchanged + 1 : 0;
    last = ritz.value;
    if (ritz.converged() || unchanged == 3) break;
  }
  return last;
}

std::vector<double> solve_shifted(const Apply& apply, double shift, std::span<const double> rhs) {
  Vector x(rhs.size(), 0.0), residual(rhs.begin(), rhs.end()), direction = residual,
                                                               image(rhs.size());
  double residual2 = dot(residual, residual);
  const double tolerance2 = 1e-30 * residual2;
  for (int i = 0; i < 2000 && residual2 > tolerance2; ++i) {
    apply(direction, image);
    for (std::size_t j = 0; j < image.size(); ++j) image[j] = shift * direction[j] - image[j];
    const double curvature = dot(direction, image);
    if (!(curvature > 0.0)) break;  // rounding near the limit of stability
    const double alpha = residual2 / curvature;
    add(alpha, direction, x);
    add(-alpha, image, residual);
    const double next = dot(residual, residual), beta = next / residual2;
    residual2 = next;
    for (std::size_t j = 0; j < residual.size(); ++j)
      direction[j] = residual[j] + beta * direction[j];
  }
  return x;
}

}  // namespace polyak::theory::internal
