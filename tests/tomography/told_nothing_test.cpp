// reconstruct without a word about method, noise or bounds.
#include <gtest/gtest.h>

#include "polyak/error.hpp"
#include "polyak/tomography_phantom.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "scans.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

// A phantom on a grid four times finer, photons counted: no fit uses the rays that
// made its data.
struct Counted {
  Geometry g;
  std::vector<double> image, sinogram;
  double noise = 0.0;

  Counted(std::uint64_t seed, Index views, double photons, Index size = 40) {
    g.angles = turn(views, 180.0);
    g.detectors = size * 3 / 2;
    g.image = {size, size, 1.0};
    const auto fine = draw(random_shapes(seed), finer_grid(g.image, 4));
    image = coarser(fine, g.image, 4);
    sinogram = finer_projections(g, RayModel::line, fine, 4);
    const auto clean = sinogram;
    if (photons > 0.0) add_poisson_noise(sinogram, photons, 2.56 / static_cast<double>(size), seed);
    for (std::size_t r = 0; r < clean.size(); ++r)
      noise += std::pow(clean[r] - sinogram[r], 2) / static_cast<double>(clean.size());
    noise = std::sqrt(noise);
  }

  double error(const ReconstructOptions& o) const {
    return reconstruct(g, sinogram, o, nullptr, image).report.error.value();
  }
};

// What somebody would get who knows the noise, the bounds and the true image.
double best_of_experts(const Counted& scan) {
  double best = 1e300;
  for (const bool bounded : {false, true}) {
    ReconstructOptions o;
    if (bounded) o.lower = 0.0;
    o.method = "fbp";
    for (const char* filter : {"ram-lak", "shepp-logan", "hann"}) {
      o.filter = filter;
      best = std::min(best, scan.error(o));
    }
    o.filter = "ram-lak";
    o.method = "sart";
    o.noise = scan.noise;
    o.max_passes = 20;
    best = std::min(best, scan.error(o));
  }
  return best;
}

// The whole of it, 12 phantoms and larger, is bench/tomography_quality.py.
TEST(ToldNothing, is_as_good_as_fbp_or_sart_in_the_best_hands) {
  for (const std::uint64_t seed : {101, 103}) {
    for (const double photons : {1e5, 5e3}) {
      for (const Index views : {40, 100}) {
        const Counted scan(seed, views, photons);
        const auto out = reconstruct(scan.g, scan.sinogram, {}, nullptr, scan.image);
        EXPECT_EQ(out.report.status, Status::converged) << out.report.reason;
        EXPECT_LT(out.report.error.value(), best_of_experts(scan))
            << seed << ", " << photons << " photons, " << views << " views";
        EXPECT_GT(out.noise.value(), 0.8 * scan.noise);
      }
    }
  }
}

// Slow methods go on until the noise, or say that they did not get there.
TEST(ToldNothing, sirt_goes_on_until_the_noise_is_reached) {
  const Counted scan(101, 60, 1e4);
  ReconstructOptions o;
  o.method = "sirt";
  o.lower = 0.0;
  const auto out = reconstruct(scan.g, scan.sinogram, o, nullptr, scan.image);
  EXPECT_EQ(out.report.status, Status::converged) << out.report.reason;
  EXPECT_LT(out.report.error.value(), 0.12) << out.report.reason;
}

TEST(ToldNothing, gives_the_scaled_image_of_a_scaled_sinogram) {
  const Counted scan(103, 40, 2e4, 32);
  const auto one = reconstruct(scan.g, scan.sinogram, {});
  for (const double factor : {0x1p-10, 1e-3, 1e3, 1e-9}) {
    auto scaled = scan.sinogram;
    for (double& v : scaled) v *= factor;
    const auto out = reconstruct(scan.g, scaled, {});
    EXPECT_EQ(out.report.iterations, one.report.iterations) << factor;
    EXPECT_EQ(out.smoothing, one.smoothing) << factor;
    for (std::size_t j = 0; j < one.images.size(); ++j)
      ASSERT_NEAR(out.images[j], factor * one.images[j], 1e-8 * factor) << factor;
  }
}

TEST(ToldNothing, does_not_clamp_an_image_that_is_negative) {
  const Counted scan(105, 60, 1e5, 32);
  const auto plain = reconstruct(scan.g, scan.sinogram, {}, nullptr, scan.image);
  EXPECT_TRUE(plain.kept_positive);
  auto sinogram = scan.sinogram, image = scan.image;
  for (double& v : sinogram) v = -v;
  for (double& v : image) v = -v;
  const auto out = reconstruct(scan.g, sinogram, {}, nullptr, image);
  EXPECT_FALSE(out.kept_positive);
  EXPECT_LT(out.report.error.value(), 1.5 * plain.report.error.value());
}

TEST(ToldNothing, treats_every_slice_by_itself) {
  const Counted one(101, 30, 1e5, 24), two(103, 30, 5e3, 24);
  auto stack = one.sinogram;
  stack.insert(stack.end(), two.sinogram.begin(), two.sinogram.end());
  const auto both = reconstruct(one.g, stack, {});
  auto apart = reconstruct(one.g, one.sinogram, {}).images;
  const auto second = reconstruct(two.g, two.sinogram, {}).images;
  apart.insert(apart.end(), second.begin(), second.end());
  EXPECT_EQ(both.images, apart);
}

// Rays of weight 0 are neither fitted nor asked to judge.
TEST(ToldNothing, pays_no_heed_to_rays_that_are_left_out) {
  Counted scan(101, 60, 1e5, 32);
  ReconstructOptions o;
  o.weights.assign(scan.sinogram.size(), 1.0);
  for (std::size_t r = 5; r < scan.sinogram.size(); r += 17) o.weights[r] = 0.0;
  const auto clean = reconstruct(scan.g, scan.sinogram, o).images;
  for (std::size_t r = 5; r < scan.sinogram.size(); r += 17) scan.sinogram[r] = 1e4;
  EXPECT_EQ(reconstruct(scan.g, scan.sinogram, o).images, clean);
}

TEST(ToldNothing, copes_with_small_empty_and_odd_scans) {
  const auto image_of = [](Index size, Index views, Beam beam, double degrees, double value) {
    Geometry g;
    g.beam = beam;
    g.angles = turn(views, degrees);
    g.detectors = size + 1;
    g.image = {size, size, 1.0};
    if (beam == Beam::fan)
      g.source_distance = 5.0 * static_cast<double>(size), g.detector_distance = 1.0;
    const std::vector<double> image(to_size(g.image.size()), value);
    const auto sinogram = projections(*projector(g, RayModel::line), image);
    return reconstruct(g, sinogram, {}, nullptr, value != 0.0 ? image : std::vector<double>{});
  };
  for (const auto& [size, views] : {std::pair{1, 1}, {1, 7}, {2, 3}, {5, 9}, {16, 1}}) {
    for (const double value : image_of(size, views, Beam::parallel, 180.0, 0.0).images)
      EXPECT_EQ(value, 0.0);
    for (double value : image_of(size, views, Beam::parallel, 180.0, 2.0).images)
      EXPECT_TRUE(std::isfinite(value)) << size << " " << views;
  }
  EXPECT_LT(image_of(16, 60, Beam::parallel, 360.0, 2.0).report.error.value(), 0.1);
  EXPECT_LT(image_of(16, 60, Beam::fan, 360.0, 2.0).report.error.value(), 0.1);
  EXPECT_LT(image_of(16, 60, Beam::fan, 180.0, 2.0).report.error.value(), 0.2);
}

TEST(ToldNothing, every_method_ends_at_once_where_there_is_nothing_to_see) {
  const Counted scan(101, 12, 1e4, 12);
  for (const char* method : {"auto", "sirt", "sart", "cgls", "rk", "minibatch-hbm"}) {
    ReconstructOptions o;
    o.method = method;
    const auto out = reconstruct(scan.g, std::vector<double>(scan.sinogram.size(), 0.0), o);
    EXPECT_EQ(out.report.status, Status::converged) << method << ": " << out.report.reason;
    for (double v : out.images) ASSERT_EQ(v, 0.0) << method;
  }
}

TEST(ToldNothing, heeds_a_noise_and_a_smoothing_that_are_given) {
  const Counted scan(101, 60, 1e4, 32);
  ReconstructOptions o;
  o.noise = 1.2 * scan.noise;
  const auto by_noise = reconstruct(scan.g, scan.sinogram, o);
  EXPECT_NE(by_noise.report.reason.find("discrepancy"), std::string::npos);
  EXPECT_EQ(by_noise.report.status, Status::converged);
  EXPECT_EQ(by_noise.held_out, 0);
  o.noise = 1e-9;  // below what pixels can explain
  EXPECT_EQ(reconstruct(scan.g, scan.sinogram, o).report.status, Status::limit);
  o.noise.reset();
  o.smoothing = 0.02;
  const auto smooth = reconstruct(scan.g, scan.sinogram, o);
  o.smoothing = 1e-5;
  const auto rough = reconstruct(scan.g, scan.sinogram, o);
  EXPECT_LT(rough.report.residual_norm, smooth.report.residual_norm);
}

}  // namespace
}  // namespace polyak::tomography
