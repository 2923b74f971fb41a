// Tails of Student's and Fisher's distributions, against SciPy 1.10 and closed forms.

#include "solve/report/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "polyak/statistics.hpp"

namespace polyak::test {
namespace {

void expect_close(double found, double expected, double tolerance) {
  if (expected == 0.0)
    EXPECT_EQ(found, 0.0);
  else
    EXPECT_LE(std::abs(found / expected - 1.0), tolerance) << found << " for " << expected;
}

TEST(distributions, of_student_are_those_of_scipy) {
  struct Case {
    double t, nu, p;
  };
  for (const auto& [t, nu, p] : {Case{0.0, 3.0, 1.0},
                                 {1e-8, 5.0, 0.9999999924078662},
                                 {0.5, 1.0, 0.7048327646991336},
                                 {2.262157162740992, 9.0, 0.05000000000467562},
                                 {-3.9108, 9.0, 0.003560419465053394},
                                 {12.7, 1.0, 0.05002432768934415},
                                 {40.0, 2.0, 0.0006244146721847406},
                                 {2.0, 1e3, 0.045770346493251665},
                                 {1.96, 1e6, 0.04999606758526978},
                                 {6.0, 1e6, 1.973849812354443e-09},
                                 {5.0, 0.5, 0.28599140315885885},
                                 {1e10, 3.0, 2.205315581687153e-30},
                                 {30.0, 30.0, 6.251791630608899e-24},
                                 {1.96, 1e9, 0.049995790573729715}})
    expect_close(student_two_sided(t, nu), p, 3e-14);
}

// With one and two degrees of freedom: 1 − (2/π)atan t, and 1 − t/√(2 + t²).
TEST(distributions, of_student_have_the_closed_forms) {
  for (const double t : {1e-12, 0.01, 0.7, 1.0, 3.0, 1e3}) {
    EXPECT_NEAR(student_two_sided(t, 1.0), 1.0 - 2.0 / M_PI * std::atan(t), 1e-14);
    EXPECT_NEAR(student_two_sided(t, 2.0), 1.0 - t / std::sqrt(2.0 + t * t), 1e-14);
  }
  EXPECT_NEAR(student_two_sided(1e9, 1.0) / (2.0 / M_PI * 1e-9), 1.0, 1e-12);  // far out
  EXPECT_EQ(student_two_sided(1e200, 3.0), 0.0);
  EXPECT_TRUE(std::isnan(student_two_sided(std::nan(""), 3.0)));  // 0 divided by an error of 0
}

// SciPy rounds 1 − x where there are many degrees of freedom below; see also the next test.
TEST(distributions, of_fisher_are_those_of_scipy) {
  struct Case {
    double f, a, b, p;
  };
  for (const auto& [f, a, b, p] : {Case{330.285339234588, 6, 9, 4.98403052872481e-10},
                                   {0.0, 3, 4, 1.0},
                                   {1.0, 1, 1, 0.5},
                                   {2.5, 3, 1e6, 0.057559078244538334},
                                   {1e-4, 10, 20, 0.9999999999999999},
                                   {1.2, 200, 1e5, 0.02800669494137784},
                                   {5.0, 2999, 7e6, 0.0},
                                   {1.02, 2999, 7e6, 0.21834780144086469},
                                   {0.5, 7, 2, 0.7944257369800221},
                                   {1e5, 3, 50, 2.005526672800071e-94},
                                   {3.84, 1, 1e8, 0.05004352379717597}})
    expect_close(fisher_upper(f, a, b), p, b > 1e3 ? 1e-8 : 1e-13);
}

// F with one degree of freedom above is t².
TEST(distributions, of_fisher_and_student_agree) {
  for (const double t : {0.1, 1.0, 5.0, 20.0})
    for (const double nu : {1.0, 7.0, 1234.0, 1e7})
      expect_close(fisher_upper(t * t, 1.0, nu), student_two_sided(t, nu), 1e-13);
}

// The quantiles of SciPy 1.10 have ten digits.
TEST(distributions, quantiles_invert_the_tail) {
  struct Case {
    double confidence, nu, t;
  };
  for (const auto& [confidence, nu, t] : {Case{0.95, 9, 2.2621571627409915},
                                          {0.95, 1, 12.706204736432095},
                                          {0.5, 2, 0.8164965809277266},
                                          {0.999, 1e6, 3.290536461248722},
                                          {0.01, 5, 0.013171984672646641},
                                          {0.95, 0.5, 164.55767352096103}})
    expect_close(student_quantile(confidence, nu), t, 1e-9);
  for (const double confidence : {1e-6, 0.3, 0.9, 0.99999})
    for (const double nu : {1.0, 3.5, 400.0})
      expect_close(student_two_sided(student_quantile(confidence, nu), nu), 1.0 - confidence,
                   1e-10);
}

}  // namespace
}  // namespace polyak::test
