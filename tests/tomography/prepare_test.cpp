// From counts to line integrals.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "polyak/tomography_scan.hpp"

namespace polyak::tomography {
namespace {

using Values = std::vector<double>;

ScanData scan(Index slices, Index views, Index detectors, Values values, Values flat = {},
              Values dark = {}) {
  ScanData out;
  out.name = "counts";
  out.slices = slices;
  out.views = views;
  out.detectors = detectors;
  out.values = std::move(values);
  out.flat = std::move(flat);
  out.dark = std::move(dark);
  return out;
}

std::string refusal(const ScanData& data, const PrepareOptions& options) {
  try {
    prepare(data, options);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::bad_data || error.code() == ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

void expect_near(const Values& a, const Values& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], 1e-14 * (1.0 + std::abs(b[k]))) << k;
}

TEST(Prepare, DividesByFlatLessDarkAndTakesTheLogarithm) {
  const auto data = scan(1, 2, 2, {60, 35, 110, 10.5}, {110, 60}, {10, 10});
  const auto out = prepare(data, {.minus_log = true});
  expect_near(out.sinograms, {-std::log(0.5), -std::log(0.5), 0.0, -std::log(0.01)});
  EXPECT_TRUE(out.left_out.empty());
}

TEST(Prepare, WithoutFlatFieldsTakesTheLogarithmOfTransmissions) {
  const auto out = prepare(scan(1, 1, 3, {1, 0.5, 0.25}), {.minus_log = true});
  expect_near(out.sinograms, {0.0, std::log(2.0), std::log(4.0)});
}

TEST(Prepare, LeavesLineIntegralsAsTheyAre) {
  const Values values{1, -2, 3, 0.5};
  EXPECT_EQ(prepare(scan(2, 1, 2, values), {}).sinograms, values);
}

TEST(Prepare, JoinsPhotonsNotTheirLogarithms) {
  const auto data = scan(1, 1, 5, {10, 30, 5, 5, 77}, {20, 60, 10, 10, 99}, {0, 0, 0, 0, 0});
  const auto out = prepare(data, {.bin = 2, .minus_log = true});
  EXPECT_EQ(out.detectors, 2);  // the fifth element is left over
  expect_near(out.sinograms, {std::log(2.0), std::log(2.0)});
  expect_near(prepare(scan(1, 1, 4, {1, 3, 5, 6}), {.bin = 2}).sinograms, {2.0, 5.5});
}

TEST(Prepare, LeavesDeadElementsOutOfWhatIsJoined) {
  const auto data = scan(1, 1, 4, {10, 9999, 5, 5}, {20, 0, 10, 10}, {0, 3, 0, 0});
  const auto out = prepare(data, {.bin = 2, .minus_log = true});
  EXPECT_EQ(out.dead, 1);
  EXPECT_TRUE(out.left_out.empty());
  expect_near(out.sinograms, {std::log(2.0), std::log(2.0)});
}

TEST(Prepare, FillsRaysWithoutLightFromTheirNeighboursAndMarksThem) {
  const double e = std::exp(1.0);
  const auto data = scan(1, 1, 6, {0, 1 / e, 0, 0, 1 / (e * e * e * e), 0}, Values(6, 1.0));
  const auto out = prepare(data, {.minus_log = true});
  expect_near(out.sinograms, {1, 1, 2, 3, 4, 4});
  EXPECT_EQ(out.opaque, 4);
  EXPECT_EQ(out.left_out, (std::vector<char>{1, 0, 1, 1, 0, 1}));
}

TEST(Prepare, ACountBelowTheDarkFieldIsNoLight) {
  const auto out = prepare(scan(1, 1, 2, {5, 55}, {110, 110}, {10, 10}), {.minus_log = true});
  EXPECT_EQ(out.opaque, 1);
  EXPECT_EQ(out.left_out, (std::vector<char>{1, 0}));
}

TEST(Prepare, AMaskHidesWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto data = scan(1, 1, 3, {0.5, nan, 0.25}, {1, 1, 1});
  const auto out = prepare(data, {.minus_log = true, .mask = {1, 0, 1}});
  EXPECT_EQ(out.masked, 1);
  expect_near(out.sinograms, {std::log(2.0), 1.5 * std::log(2.0), std::log(4.0)});
  EXPECT_EQ(out.left_out, (std::vector<char>{0, 1, 0}));
}

TEST(Prepare, NegativeAndMissingCountsAreRefusedByPosition) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto line =
      refusal(scan(2, 2, 2, {1, 1, 1, 1, 1, 1, 1, -3}, Values(4, 2.0)), {.minus_log = true});
  EXPECT_NE(line.find("slice 2, view 2, element 2"), std::string::npos) << line;
  EXPECT_NE(line.find("negative"), std::string::npos) << line;
  EXPECT_NE(refusal(scan(1, 1, 2, {1, nan}, {2, 2}), {.minus_log = true}).find("not finite"),
            std::string::npos);
}

TEST(Prepare, FlatFieldsWithoutLightAreRefused) {
  const auto line = refusal(scan(1, 1, 2, {1, 1}, {10, 10}, {10, 11}), {.minus_log = true});
  EXPECT_NE(line.find("nowhere above the dark field"), std::string::npos) << line;
  EXPECT_NE(refusal(scan(1, 1, 2, {0, 0}, {10, 10}), {.minus_log = true}).find("no ray is left"),
            std::string::npos);
}

TEST(Prepare, SizesThatDoNotFitAreRefused) {
  EXPECT_NE(refusal(scan(1, 1, 2, {1, 1}), {.bin = 3}).find("--bin"), std::string::npos);
  EXPECT_NE(refusal(scan(1, 1, 2, {1, 1}), {.mask = {1}}).find("--mask"), std::string::npos);
}

}  // namespace
}  // namespace polyak::tomography
