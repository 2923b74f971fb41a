// The rotation axis from the consistency of a parallel scan.
//
// With s measured from the axis let P(t, w) = ∫ p(t, s)·exp(−iws) ds. As
// p(t + π, s) = p(t, −s) and p is real, P(t + π, w) is the conjugate of P(t, w):
// the real part has only even harmonics of the angle t, the imaginary part only
// odd ones. By the projection theorem the harmonic n of P(·, w) is an integral
// of J_n(w·r) over the object, nearly zero for n above w times its radius.
// Measured from a wrong axis at distance d, P is multiplied by exp(iwd), which mixes
// the parts. So d is the minimiser of the energy outside these harmonics:
//   r(d) = Σ_w g_w·(‖E·Re(P·exp(iwd))‖² + ‖O·Im(P·exp(iwd))‖²),
// where E and O project onto the complement of the even and of the odd harmonics at the given
// angles. Each term is a + b·cos 2wd + c·sin 2wd, with coefficients from P.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "polyak/error.hpp"
#include "polyak/tomography_scan.hpp"

namespace polyak::tomography {
namespace {

constexpr Index max_harmonics = 128;
constexpr Index max_center_slices = 16;

using Vector = std::vector<double>;

[[noreturn]] void refuse_center(const std::string& what, const std::string& found,
                                const std::string& expected) {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = "--center auto",
                                    .found = found,
                                    .expected = expected,
                                    .hint = "give --center C"});
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// An orthonormal basis of functions of the angle.
class Span {
 public:
  void add(Vector v) {
    const double before = std::sqrt(dot(v, v));
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& q : basis_) {
        const double part = dot(q, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= part * q[i];
      }
    }
    const double norm = std::sqrt(dot(v, v));
    if (!(norm > 1e-6 * before)) return;  // linearly dependent at these angles
    for (double& value : v) value /= norm;
    basis_.push_back(std::move(v));
  }
  Index size() const { return std::ssize(basis_); }

  struct Products {
    double uu, uv, vv;
  };
  // Inner products of the components of u and v orthogonal to the span.
  Products outside(const Vector& u, const Vector& v) const {
    Products p{dot(u, u), dot(u, v), dot(v, v)};
    for (const Vector& q : basis_) {
      const double qu = dot(q, u), qv = dot(q, v);
      p.uu -= qu * qu;
      p.uv -= qu * qv;
      p.vv -= qv * qv;
    }
    return p;
  }

 private:
  std::vector<Vector> basis_;
};

class Harmonics {
 public:
  explicit Harmonics(const Vector& angles) : angles_(angles) {}
  Span even, odd;
  void extend_to(Index last) {
    for (; next_ <= last; ++next_) {
      Span& span = next_ % 2 == 0 ? even : odd;
      Vector c, s;
      for (double t : angles_) {
        c.push_back(std::cos(static_cast<double>(next_) * t));
        s.push_back(std::sin(static_cast<double>(next_) * t));
      }
      span.add(std::move(c));
      if (next_ > 0) span.add(std::move(s));
    }
  }

 private:
  Vector angles_;
  Index next_ = 0;
};

// r_w(d) = even·cos² wd + odd·sin² wd + mixed·sin 2wd, and its degrees of freedom: the number of
// values minus the number of fitted functions.
struct Term {
  double omega, even = 0.0, odd = 0.0, mixed = 0.0, freedom = 0.0, weight = 1.0;
  double at(double d) const {
    const double c = std::cos(omega * d), s = std::sin(omega * d);
    return even * c * c + odd * s * s + 2.0 * mixed * s * c;
  }
  double curvature(double d) const {
    return 2.0 * omega * omega *
           ((odd - even) * std::cos(2.0 * omega * d) - 2.0 * mixed * std::sin(2.0 * omega * d));
  }
};

// P(t, w) of all views, with s measured from the middle of the detector.
struct Transform {
  Vector re, im;
};
Transform transform(const double* sinogram, Index views, Index detectors, double omega) {
  Vector c, s;
  for (Index k = 0; k < detectors; ++k) {
    const double at = static_cast<double>(k) + 0.5 - 0.5 * static_cast<double>(detectors);
    c.push_back(std::cos(omega * at));
    s.push_back(-std::sin(omega * at));
  }
  Transform out;
  for (Index view = 0; view < views; ++view) {
    const double* row = sinogram + view * detectors;
    out.re.push_back(std::inner_product(c.begin(), c.end(), row, 0.0));
    out.im.push_back(std::inner_product(s.begin(), s.end(), row, 0.0));
  }
  return out;
}

// The number of harmonics of an object as wide as the detector at this frequency.
Index harmonics_at(double omega, Index detectors) {
  const double x = 0.5 * omega * static_cast<double>(detectors);
  return static_cast<Index>(std::ceil(x + 2.0 + 2.0 * std::cbrt(x)));
}

void add_slice(Term& term, const Harmonics& harmonics, const Transform& P) {
  const auto E = harmonics.even.outside(P.re, P.im), O = harmonics.odd.outside(P.re, P.im);
  term.even += E.uu + O.vv;
  term.odd += E.vv + O.uu;
  term.mixed += O.uv - E.uv;
  term.freedom +=
      static_cast<double>(2 * std::ssize(P.re) - harmonics.even.size() - harmonics.odd.size());
}

std::vector<Term> terms_of(const Vector& sinograms, const Vector& angles, Index detectors) {
  const Index views = std::ssize(angles), rays = views * detectors;
  const Index slices = std::ssize(sinograms) / rays, step = (slices - 1) / max_center_slices + 1;
  const Index limit = std::min(max_harmonics, views / 2 - 1);
  Harmonics harmonics(angles);
  std::vector<Term> terms;
  for (Index j = 1; j < detectors; ++j) {
    Term term{.omega = std::numbers::pi * static_cast<double>(j) / static_cast<double>(detectors)};
    const Index last = harmonics_at(term.omega, detectors);
    if (last > limit) break;
    harmonics.extend_to(last);
    for (Index s = 0; s < slices; s += step)
      add_slice(term, harmonics,
                transform(sinograms.data() + s * rays, views, detectors, term.omega));
    terms.push_back(term);
  }
  return terms;
}

double total(const std::vector<Term>& terms, double d) {
  double sum = 0.0;
  for (const Term& term : terms) sum += term.weight * term.at(d);
  return sum;
}

// A fine grid, then golden section search around its best point.
double minimise(const std::vector<Term>& terms, double reach) {
  constexpr double step = 0.25, golden = 0.6180339887498949;
  double best = 0.0, least = total(terms, 0.0);
  for (double d = -reach; d <= reach; d += step) {
    const double value = total(terms, d);
    if (value < least) best = d, least = value;
  }
  double low = best - step, high = best + step;
  for (int k = 0; k < 40; ++k) {
    const double width = golden * (high - low), a = high - width, b = low + width;
    (total(terms, a) < total(terms, b) ? high : low) = total(terms, a) < total(terms, b) ? b : a;
  }
  return 0.5 * (low + high);
}

// The rest at a frequency, per degree of freedom, is its noise variance; its inverse is the weight
// of the frequency in the next round.
void set_weights(std::vector<Term>& terms, double d) {
  double largest = 0.0;
  for (const Term& term : terms) largest = std::max(largest, term.even + term.odd);
  for (Term& term : terms)
    term.weight = 1.0 / (std::max(0.0, term.at(d)) / term.freedom + 1e-14 * largest);
}

void check_angles(const Vector& angles) {
  const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
  const double turn = *high - *low;
  if (turn * (1.0 + 1.0 / static_cast<double>(angles.size())) < 150.0 / 180.0 * std::numbers::pi)
    refuse_center("the views do not go round far enough to find the axis",
                  std::to_string(turn * 180.0 / std::numbers::pi) + " degrees",
                  "about 180 or more");
}

// True if the mean of all views is not nearly zero at an edge of the detector.
bool is_cut_off(const Vector& sinograms, Index detectors) {
  Vector mean(to_size(detectors), 0.0);
  for (std::size_t k = 0; k < sinograms.size(); ++k) mean[k % mean.size()] += sinograms[k];
  const double high = *std::max_element(mean.begin(), mean.end());
  return std::max(mean.front(), mean.back()) > 0.1 * high;
}

}  // namespace

CenterEstimate find_center(const std::vector<double>& sinograms, const std::vector<double>& angles,
                           Index detectors) {
  check_angles(angles);
  auto terms = terms_of(sinograms, angles, detectors);
  const bool nothing =
      std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.even + t.odd <= 0.0; });
  if (nothing)
    refuse_center(
        "the axis cannot be found",
        terms.empty() ? std::to_string(angles.size()) + " views" : "a sinogram without contrast",
        "an object seen in 12 views or more");
  const double reach = 0.45 * static_cast<double>(detectors);
  double d = minimise(terms, reach);
  for (int round = 0; round < 2; ++round) {
    set_weights(terms, d);
    d = minimise(terms, reach);
  }
  double curvature = 0.0;
  for (const Term& term : terms) curvature += term.weight * term.curvature(d);
  return {.center = 0.5 * static_cast<double>(detectors) + d,
          .standard_error =
              curvature > 0.0 ? std::sqrt(2.0 / curvature) : static_cast<double>(detectors),
          .cut_off = is_cut_off(sinograms, detectors)};
}

}  // namespace polyak::tomography
