// The gains against their series, and against the textbook forms evaluated with
// more digits than these lose.

#include "theory/impulse.hpp"

#include <cfloat>

#include "golden.hpp"

namespace polyak::theory::impulse {
using namespace polyak::theory::internal;

namespace {

#if LDBL_MANT_DIG >= 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

struct Case {
  Method method;
  Parameters p;
  double l_i, l_j, r;
};

struct LongBlock {
  long double t, b;
};
LongBlock long_block(const Case& c, double l) {
  const long double root = 1.0L - c.p.gap, beta = root * root,
                    y = static_cast<long double>(c.p.alpha) * l;
  if (c.method == Method::heavy_ball) return {1.0L + beta - y, beta};
  return {(1.0L + beta) * (1.0L - y), beta * (1.0L - y)};
}

// Σ_m s^−(m+1) h_i(m)·h_j(m), by the recurrence itself.
long double series(const Case& c, bool of_point) {
  const LongBlock i = long_block(c, c.l_i), j = long_block(c, c.l_j);
  const auto [now, before] = gradient_point(c.method, c.p);
  const long double s = static_cast<long double>(c.r) * c.r;
  long double g_i = 1, g_j = 1, old_i = 0, old_j = 0, weight = 1 / s, sum = 0;
  for (int m = 0; m < 2'000'000; ++m) {
    const long double h_i = of_point ? now * g_i - before * old_i : g_i;
    const long double h_j = of_point ? now * g_j - before * old_j : g_j;
    sum += weight * h_i * h_j;
    const long double bound =
        weight * (std::abs(g_i) + std::abs(old_i)) * (std::abs(g_j) + std::abs(old_j));
    if (m > 10 && bound < 1e-22L * std::abs(sum)) break;
    old_i = std::exchange(g_i, i.t * g_i - i.b * old_i);
    old_j = std::exchange(g_j, j.t * g_j - j.b * old_j);
    weight /= s;
  }
  return sum;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Method method : {Method::heavy_ball, Method::nesterov}) {
    for (const double kappa : {1.0, 3.0, 100.0, 1e4}) {
      for (const double gamma : {0.0, 1e-3, 0.3}) {
        const Parameters best = method == Method::heavy_ball
                                    ? heavy_ball_parameters(1.0, kappa, gamma)
                                    : nesterov_parameters(1.0, kappa, gamma);
        for (const Parameters& p :
             {best, recipe(1.0, kappa, 2.0 * kappa, 3.0), Parameters::of(0.9 / kappa, 0.0)}) {
          const double floor = contraction(method, p, 1.0, kappa);
          for (const double r : {1.0, floor + 0.5 * (1.0 - floor), 1.3}) {
            if (r <= floor) continue;
            out.push_back({method, p, 1.0, kappa, r});
            out.push_back({method, p, 1.0, 1.0, r});
            out.push_back({method, p, kappa, kappa, r});
            out.push_back({method, p, 1.0, 1.0 + 0.01 * (kappa - 1.0), r});
          }
        }
      }
    }
  }
  return out;
}

TEST(Impulse, GainsAreTheSumsOfTheirSeries) {
  int count = 0;
  for (const Case& c : cases()) {
    const double l[] = {c.l_i, c.l_j};
    const Impulse impulse(c.method, c.p, l, 0.0, c.r);
    ASSERT_TRUE(impulse.exists());
    const auto what = std::to_string(++count) + " at l = " + std::to_string(c.l_i) + ", " +
                      std::to_string(c.l_j) + ", r = " + std::to_string(c.r);
    // Off the diagonal the terms of the series cancel: what is left of the
    // digits is measured by the diagonal.
    const double gain = impulse.gain(0, 1), size = std::sqrt(impulse.gain(0) * impulse.gain(1));
    EXPECT_NEAR(gain / size, static_cast<double>(series(c, true)) / size, 1e-11) << what;
    EXPECT_GT(gain, 0.0) << what;
    EXPECT_EQ(gain, impulse.gain(1, 0));
    const Case own{c.method, c.p, c.l_i, c.l_i, c.r};
    expect_relative(impulse.error_gain(0), static_cast<double>(series(own, false)), 1e-11, what);
  }
  EXPECT_GT(count, 200);
}

// As printed, in docs/theory 4.2 and 4.3.
Quad printed_heavy_ball(Quad s, Quad b, Quad t_i, Quad t_j) {
  return s * (s * s - b * b) /
         (s * s * s * s - t_i * t_j * s * s * s +
          (b * (t_i * t_i + t_j * t_j) - 2 * b * b) * s * s - b * b * t_i * t_j * s +
          b * b * b * b);
}
Quad printed_nesterov(Quad s, Quad b, Quad y) {
  const Quad t = (1 + b) * (1 - y), b_j = b * (1 - y);
  const Quad S0 = s * (s + b_j) / ((s - b_j) * ((s + b_j) * (s + b_j) - t * t * s));
  return S0 * ((1 + b) * (1 + b) - 2 * b * (1 + b) * t / (s + b_j) + b * b / s);
}

TEST(Impulse, KeepsItsDigitsUpToKappaOfATrillion) {
  for (const double kappa : {1e6, 1e9, 1e12}) {
    const double x = 2.0 / (std::sqrt(kappa) + 1.0);
    for (const double share : {0.03, 0.5, 0.97}) {
      const Parameters p = Parameters::with_gap(share * 4.0 / kappa, x);
      for (const double c : {0.0, 0.4, 0.9}) {
        const double floor = contraction(Method::heavy_ball, p, 1.0, kappa);
        const double r = 1.0 - c * (1.0 - floor);
        for (const double l : {1.0, 7.0, 1e3, kappa / 3.0, kappa}) {
          const double l_i[] = {1.0, l};
          const Quad root = 1 - Quad(p.gap), b = root * root, s = Quad(r) * r;
          const Quad y_i = Quad(p.alpha) * 1.0, y_j = Quad(p.alpha) * l;
          const Impulse impulse(Method::heavy_ball, p, l_i, 0.0, r);
          const Quad expected = printed_heavy_ball(s, b, 1 + b - y_i, 1 + b - y_j);
          expect_relative(impulse.gain(0, 1), static_cast<double>(expected), 1e-9, "HBM");
        }
        const double floor_nag = contraction(Method::nesterov, p, 1.0, kappa / 5.0);
        const double r_nag = 1.0 - c * (1.0 - floor_nag);
        for (const double l : {1.0, 1e3, kappa / 5.0}) {
          const double l_j[] = {1.0, l, kappa / 5.0};
          const Quad root = 1 - Quad(p.gap);
          const Impulse impulse(Method::nesterov, p, l_j, 0.0, r_nag);
          const Quad expected =
              printed_nesterov(Quad(r_nag) * r_nag, root * root, Quad(p.alpha) * l);
          expect_relative(impulse.gain(1), static_cast<double>(expected), 1e-9, "NAG");
        }
      }
    }
  }
}

// Σ_k s^−(k+1) e_k² of a run from rest, e_{k+1} = t·e_k − b·e_{k−1}.
TEST(Impulse, StartGainIsThatOfARunFromRest) {
  for (const Case& c : cases()) {
    if (c.method != Method::heavy_ball) continue;
    const LongBlock one = long_block(c, c.l_i);
    const long double s = static_cast<long double>(c.r) * c.r;
    long double e = 1, before = 1, weight = 1 / s, sum = 0;
    for (int k = 0; k < 2'000'000; ++k) {
      sum += weight * e * e;
      if (k > 10 && weight * (e * e + before * before) < 1e-22L * sum) break;
      before = std::exchange(e, one.t * e - one.b * before);
      weight /= s;
    }
    const double l[] = {c.l_i, c.l_j};
    const Impulse impulse(c.method, c.p, l, 0.0, c.r);
    expect_relative(impulse.start_gain(0), static_cast<double>(sum), 1e-11, "start");
  }
}

TEST(Impulse, DoesNotExistAtOrBelowTheContraction) {
  const double l[] = {1.0, 100.0};
  const Parameters p = recipe(1.0, 100.0, 500.0, 10.0);
  const double floor = contraction(Method::heavy_ball, p, 1.0, 100.0);
  EXPECT_FALSE(Impulse(Method::heavy_ball, p, l, 0.0, floor).exists());
  EXPECT_FALSE(Impulse(Method::heavy_ball, p, l, 0.0, 0.5 * floor).exists());
  EXPECT_TRUE(Impulse(Method::heavy_ball, p, l, 0.0, floor * (1.0 + 1e-9)).exists());
  // The recipe is overdamped at lambda_min: √beta is not the rate.
  EXPECT_GT(floor, p.root * 1.001);
}

TEST(Impulse, WithARidgeIsThatOfTheLiftedSpectrum) {
  const double l[] = {1.0, 10.0}, lifted[] = {3.0, 12.0};
  const Parameters p = heavy_ball_parameters(3.0, 12.0, 0.1);
  const Impulse a(Method::heavy_ball, p, l, 2.0, 1.0), b(Method::heavy_ball, p, lifted, 0.0, 1.0);
  EXPECT_EQ(a.gain(0, 1), b.gain(0, 1));
}

}  // namespace
}  // namespace polyak::theory::impulse
