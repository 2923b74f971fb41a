// An image whose making was saved and resumed is the one made in one go.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "polyak/tomography_reconstruct.hpp"
#include "support/keeper.hpp"

namespace polyak::tomography {
namespace {

using test::Keeper;

Geometry scan() {
  Geometry g;
  for (int v = 0; v < 24; ++v) g.angles.push_back(std::numbers::pi * v / 24.0);
  g.detectors = 40;
  g.image = {.rows = 28, .cols = 28, .pixel = 1.0};
  return g;
}

// Two slices, the second with noise.
std::vector<double> sinograms(const Geometry& g) {
  std::vector<double> image(to_size(g.image.size()));
  for (int i = 0; i < 28; ++i)
    for (int j = 0; j < 28; ++j)
      image[to_size(i * 28 + j)] = std::hypot(i - 13.0, j - 11.0) < 8.0 ? 1.0 + 0.1 * (j % 3) : 0.0;
  auto out = projections(*projector(g, RayModel::line), image);
  const std::size_t rays = out.size();
  for (std::size_t r = 0; r < rays; ++r)
    out.push_back(out[r] + 0.01 * std::sin(static_cast<double>(37 * r)));
  return out;
}

void expect_same(const Reconstruction& a, const Reconstruction& b) {
  EXPECT_EQ(a.images, b.images);
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.report.status, b.report.status);
  EXPECT_EQ(a.report.reason, b.report.reason);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
  ASSERT_EQ(a.report.history.size(), b.report.history.size());
  for (std::size_t i = 0; i < a.report.history.size(); ++i)
    EXPECT_EQ(a.report.history[i].residual_norm, b.report.history[i].residual_norm);
}

class ResumedImage : public testing::TestWithParam<std::string> {
 protected:
  ReconstructOptions options(bool in_groups) const {
    ReconstructOptions o;
    o.method = GetParam();
    o.max_passes = 12.0;
    o.threads = 1;
    if (in_groups) o.memory_bytes = 1.0;  // one slice at a time
    return o;
  }
};

TEST_P(ResumedImage, is_the_one_made_in_one_go) {
  const Geometry g = scan();
  const auto data = sinograms(g);
  for (bool in_groups : {false, true}) {
    SCOPED_TRACE(in_groups);
    const ReconstructOptions o = options(in_groups);
    Keeper keeper;
    const Reconstruction straight = reconstruct(g, data, o, &keeper);
    EXPECT_EQ(straight.groups, in_groups ? 2 : 1);
    ASSERT_GE(keeper.kept.size(), 3u);
    const std::size_t step = std::max<std::size_t>(1, keeper.kept.size() / 5);
    for (std::size_t i = 0; i < keeper.kept.size(); i += step)
      expect_same(straight, reconstruct(g, data, o, nullptr, {}, &keeper.kept[i]));
  }
}

TEST_P(ResumedImage, goes_on_after_a_stop_in_any_group) {
  const Geometry g = scan();
  const auto data = sinograms(g);
  for (int calls : {0, 4, 30}) {
    SCOPED_TRACE(calls);
    const ReconstructOptions o = options(true);
    const Reconstruction straight = reconstruct(g, data, o);
    Keeper keeper;
    keeper.stop_after = calls;
    const Reconstruction stopped = reconstruct(g, data, o, &keeper);
    if (keeper.calls <= calls) continue;  // it was done before
    ASSERT_FALSE(keeper.kept.empty());
    expect_same(straight, reconstruct(g, data, o, nullptr, {}, &keeper.kept.back()));
  }
}

TEST_P(ResumedImage, heeds_what_its_stop_rules_had_seen) {
  const Geometry g = scan();
  const auto data = sinograms(g);
  ReconstructOptions o = options(false);
  o.plateau = 0.2;
  o.max_passes = 60.0;
  Keeper keeper;
  const Reconstruction straight = reconstruct(g, data, o, &keeper);
  ASSERT_FALSE(keeper.kept.empty());
  expect_same(straight, reconstruct(g, data, o, nullptr, {}, &keeper.kept.back()));
}

// Through fits that are judged, the choice, and the fit of all rays.
TEST(ResumedTv, is_the_one_made_in_one_go) {
  const Geometry g = scan();
  const auto data = sinograms(g);
  for (const auto& noise : {std::optional<double>(), std::optional(0.01)}) {
    ReconstructOptions o;
    o.threads = 1;
    o.noise = noise;
    Keeper keeper;
    const Reconstruction straight = reconstruct(g, data, o, &keeper);
    ASSERT_GE(keeper.kept.size(), 20u);
    const std::size_t step = keeper.kept.size() / 11;
    for (std::size_t i = 0; i < keeper.kept.size(); i += step) {
      const Reconstruction resumed = reconstruct(g, data, o, nullptr, {}, &keeper.kept[i]);
      expect_same(straight, resumed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Some, ResumedImage,
                         testing::Values("sirt", "sart", "rk", "cgls", "minibatch-hbm"),
                         [](const auto& which) {
                           std::string name = which.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace polyak::tomography
