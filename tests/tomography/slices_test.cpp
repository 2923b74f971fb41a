// Stacks of slices, and rays that see nothing.
#include <gtest/gtest.h>

#include "polyak/tomography_reconstruct.hpp"
#include "small_scan.hpp"
#include "tomography/projectors/ray_maker.hpp"
#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography {
using namespace polyak::tomography::internal;

namespace {

TEST(Reconstruct, treats_several_slices_as_it_treats_each) {
  const Scan scan;
  auto two = scan.sinogram;
  for (double v : scan.sinogram) two.push_back(2.0 * v);
  for (const char* method : {"minibatch-hbm", "sart", "cgls", "fbp"}) {
    ReconstructOptions o;
    o.method = method;
    o.max_iterations = 20;
    const auto one = reconstruct(scan.g, scan.sinogram, o).images;
    const auto both = reconstruct(scan.g, two, o).images;
    ASSERT_EQ(both.size(), 2 * one.size());
    for (std::size_t j = 0; j < one.size(); ++j) {
      ASSERT_NEAR(both[j], one[j], 1e-10) << method;
      ASSERT_NEAR(both[one.size() + j], 2.0 * one[j], 1e-10) << method;
    }
  }
}

// Limits alone: in whatever groups, every slice gets the bits it would get by
// itself, and the report is about all of them.
TEST(Reconstruct, solves_a_stack_in_groups_as_it_solves_each_slice) {
  const Scan scan;
  constexpr Index slices = 5;
  std::vector<double> stack, reference;
  for (Index c = 0; c < slices; ++c) {
    for (double v : scan.sinogram) stack.push_back(v * (1.0 + 0.3 * static_cast<double>(c)));
    for (double v : scan.image) reference.push_back(v * (1.0 + 0.3 * static_cast<double>(c)));
  }
  for (const char* method :
       {"minibatch-hbm", "minibatch-nag", "rk", "cgls", "sirt", "sart", "fbp"}) {
    ReconstructOptions o;
    o.method = method;
    o.max_iterations = 20;
    const auto together = reconstruct(scan.g, stack, o, nullptr, reference);
    EXPECT_EQ(together.groups, 1);
    for (const auto& [fit, groups] : {std::pair{2.5, 3}, {1.0, 5}, {1e-9, 5}}) {
      o.memory_bytes = fit * bytes_per_slice(scan.g);
      const auto apart = reconstruct(scan.g, stack, o, nullptr, reference);
      EXPECT_EQ(apart.groups, groups) << method;
      EXPECT_EQ(apart.images, together.images) << method;
      EXPECT_EQ(apart.residual, together.residual) << method;
      EXPECT_EQ(apart.report.right_hand_sides, slices);
      EXPECT_EQ(apart.report.iterations, together.report.iterations);
      EXPECT_EQ(apart.report.status, together.report.status);
      ASSERT_EQ(apart.report.history.size(), together.report.history.size());
      for (std::size_t k = 0; k < apart.report.history.size(); ++k) {
        const Measurement &a = apart.report.history[k], &t = together.report.history[k];
        EXPECT_EQ(a.iteration, t.iteration);
        EXPECT_NEAR(a.residual_norm, t.residual_norm, 1e-10 * (1 + t.residual_norm)) << method;
        EXPECT_NEAR(*a.relative_residual, *t.relative_residual, 1e-10) << method;
        EXPECT_NEAR(*a.error, *t.error, 1e-10) << method;
      }
    }
  }
}

TEST(Reconstruct, tells_which_slices_the_images_on_the_way_are_of) {
  const Scan scan;
  auto two = scan.sinogram;
  two.insert(two.end(), scan.sinogram.begin(), scan.sinogram.end());
  ReconstructOptions o;
  o.max_iterations = 4;
  o.image_every = 4;
  o.memory_bytes = 1.0;
  std::vector<Index> seen;
  o.on_image = [&](Index, const std::vector<double>& images, Index first) {
    EXPECT_EQ(images.size(), scan.image.size());
    seen.push_back(first);
  };
  static_cast<void>(reconstruct(scan.g, two, o));
  EXPECT_EQ(seen, (std::vector<Index>{0, 1}));
}

// 48 elements look past an image of 20 pixels; the disc in it leaves nothing there.
TEST(Reconstruct, leaves_out_rays_that_meet_no_pixel) {
  Scan scan;
  scan.g.image = {20, 20, 1.0};
  const auto image = draw(disc(), scan.g.image);
  const auto clean = times(*projector(scan.g, RayModel::line), image);
  const RayCounts counts = count_rays(scan.g, RayModel::line);
  ASSERT_GT(counts.zero, 100);
  auto dirty = clean;
  const RayMaker maker(scan.g, RayModel::line);
  const auto entries = entry_counts(maker, 1);
  for (std::size_t r = 0; r < dirty.size(); ++r)
    if (entries[r] == 0) dirty[r] = 5.0;
  for (const char* method : {"minibatch-hbm", "rk", "cgls", "sirt", "sart"}) {
    for (const char* sampling : {"row-norm", "uniform"}) {
      ReconstructOptions o;
      o.method = method;
      if (o.method == "minibatch-hbm") o.sampling = sampling;
      o.max_passes = 6;
      const auto a = reconstruct(scan.g, clean, o), b = reconstruct(scan.g, dirty, o);
      EXPECT_EQ(a.images, b.images) << method;
      EXPECT_EQ(a.residual, b.residual) << method;
      EXPECT_EQ(a.report.residual_norm, b.report.residual_norm) << method;
      EXPECT_EQ(a.unseen_with_data, 0);
      EXPECT_EQ(b.unseen_with_data, counts.zero);
      EXPECT_EQ(a.report.zero_rows, counts.zero) << method;
      EXPECT_EQ(b.report.zero_rows, counts.zero) << method;
      EXPECT_EQ(a.report.warnings.size() + 1, b.report.warnings.size()) << method;
    }
  }
  // Noise is expected of rays that see something, and of no others.
  ReconstructOptions o;
  o.method = "cgls";
  o.noise = 0.1;
  o.max_passes = 100;
  auto noisy = dirty;
  add_gaussian_noise(noisy, 0.1, 3);
  const auto out = reconstruct(scan.g, noisy, o);
  EXPECT_EQ(out.report.status, Status::converged) << out.report.reason;
  EXPECT_LE(out.report.residual_norm.value(),
            0.1 * std::sqrt(static_cast<double>(counts.rays - counts.zero)));
}

}  // namespace
}  // namespace polyak::tomography
