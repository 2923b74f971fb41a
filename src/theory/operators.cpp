#include "theory/operators.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/symmetric.hpp"

namespace polyak::theory {
namespace {

using Vector = std::vector<double>;

constexpr Index cycle_length = 12;
constexpr int most_cycles = 100;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(double factor, std::span<const double> a, std::span<double> to) {
  for (std::size_t i = 0; i < a.size(); ++i) to[i] += factor * a[i];
}

// Scales v to norm 1 and gives its norm; a zero v stays.
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
  bool settled() const { return residual <= 1e-9 * std::abs(value); }
};

// One run of Lanczos from the unit vector x, with full orthogonalisation; x
// becomes the Ritz vector of the largest Ritz value.
class Cycle {
 public:
  Cycle(const Apply& apply, Vector& x) : apply_(apply) {
    basis_.push_back(x);
    const Index most = std::min<Index>(cycle_length, std::ssize(x));
    bool go_on = true;
    while (go_on) {
      go_on = extend() && std::ssize(diagonal_) < most;
      if (!go_on || std::ssize(diagonal_) % 4 == 0) go_on = !solve() && go_on;
    }
    combine(x);
  }
  Ritz ritz() const { return ritz_; }

 private:
  // False when the space is invariant.
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

  // The largest Ritz pair so far; true when it is good enough.
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
    return ritz_.settled();
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

double largest_eigenvalue(const Apply& apply, std::vector<double>& x) {
  normalise(x);
  double last = 0.0;
  int settled = 0;
  for (int c = 0; c < most_cycles; ++c) {
    const Ritz ritz = Cycle(apply, x).ritz();
    settled = std::abs(ritz.value - last) <= 1e-14 * std::abs(ritz.value) ? settled + 1 : 0;
    last = ritz.value;
    if (ritz.settled() || settled == 3) break;
  }
  return last;
}

std::vector<double> solve_shifted(const Apply& apply, double shift, std::span<const double> rhs) {
  Vector x(rhs.size(), 0.0), rest(rhs.begin(), rhs.end()), direction = rest, image(rhs.size());
  double size = dot(rest, rest);
  const double enough = 1e-30 * size;
  for (int i = 0; i < 2000 && size > enough; ++i) {
    apply(direction, image);
    for (std::size_t j = 0; j < image.size(); ++j) image[j] = shift * direction[j] - image[j];
    const double bend = dot(direction, image);
    if (!(bend > 0.0)) break;  // rounding at the edge of stability
    const double step = size / bend;
    add(step, direction, x);
    add(-step, image, rest);
    const double next = dot(rest, rest), turn = next / size;
    size = next;
    for (std::size_t j = 0; j < rest.size(); ++j) direction[j] = rest[j] + turn * direction[j];
  }
  return x;
}

}  // namespace polyak::theory
