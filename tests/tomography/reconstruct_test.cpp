#include <gtest/gtest.h>

#include "polyak/error.hpp"
#include "polyak/tomography_phantom.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "small_scan.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

class Method : public testing::TestWithParam<const char*> {};

TEST_P(Method, finds_the_image) {
  const Scan scan;
  ReconstructOptions o;
  o.method = GetParam();
  o.max_passes = o.method == std::string("sirt") ? 200 : 60;
  const auto free = reconstruct(scan.g, scan.sinogram, o, nullptr, scan.image);
  const bool slow = o.method == "fbp" || o.method == "gd";
  EXPECT_LT(free.report.error.value(), slow ? 0.3 : 0.15) << free.report.reason;
  EXPECT_EQ(free.images.size(), scan.image.size());
}

// The two sum in different orders, which Krylov methods magnify as they go.
TEST_P(Method, does_the_same_with_a_stored_matrix) {
  const Scan scan;
  ReconstructOptions o;
  o.method = GetParam();
  o.max_passes = 12;
  const auto free = reconstruct(scan.g, scan.sinogram, o);
  o.stored = true;
  const auto stored = reconstruct(scan.g, scan.sinogram, o);
  double difference = 0.0;
  for (std::size_t j = 0; j < free.images.size(); ++j)
    difference = std::max(difference, std::abs(free.images[j] - stored.images[j]));
  EXPECT_LT(difference, 1e-11);
}

TEST_P(Method, gives_the_same_bits_for_any_number_of_threads) {
  const Scan scan;
  ReconstructOptions o;
  o.method = GetParam();
  o.max_passes = 5;
  o.threads = 1;
  const auto one = reconstruct(scan.g, scan.sinogram, o);
  o.threads = 3;
  EXPECT_EQ(reconstruct(scan.g, scan.sinogram, o).images, one.images);
}

INSTANTIATE_TEST_SUITE_P(, Method,
                         testing::Values("auto", "tv", "minibatch-hbm", "minibatch-nag",
                                         "minibatch-sgd", "rk", "kaczmarz", "sgd", "gd", "hbm",
                                         "nag", "cgls", "lsqr", "sirt", "sart", "fbp"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FilteredBackProjection, recovers_a_disc_from_exact_projections) {
  for (Beam beam : {Beam::parallel, Beam::fan}) {
    for (const char* filter : {"ram-lak", "shepp-logan", "hann"}) {
      Scan scan(beam);
      scan.g.angles = turn(180, 360.0);
      scan.g.offsets = {0.3};
      const auto image =
          filtered_back_projection(scan.g, exact_projections(disc(), scan.g), filter);
      EXPECT_NEAR(image[16 * 32 + 16], 1.0, 0.02) << filter;
      EXPECT_NEAR(image[16 * 32 + 9], 1.0, 0.05) << filter;
      EXPECT_NEAR(image[0], 0.0, 0.03) << filter;
    }
  }
}

TEST(Reconstruct, stops_where_the_noise_begins) {
  Scan scan;
  add_gaussian_noise(scan.sinogram, 0.1, 1);
  for (const char* method : {"minibatch-hbm", "sirt", "sart", "cgls"}) {
    ReconstructOptions o;
    o.method = method;
    o.noise = 0.1;
    o.tau = 1.05;
    o.relaxation = o.method == "sart" ? 0.2 : 1.0;  // an undamped one follows the noise
    o.max_passes = 500;
    const auto out = reconstruct(scan.g, scan.sinogram, o, nullptr, scan.image);
    EXPECT_EQ(out.report.status, Status::converged) << method;
    EXPECT_NE(out.report.reason.find("discrepancy"), std::string::npos) << out.report.reason;
    EXPECT_LE(out.report.residual_norm.value(), 1.05 * 0.1 * std::sqrt(60 * 48));
    EXPECT_NEAR(std::sqrt(dot(out.residual, out.residual)), out.report.residual_norm.value(), 1e-8);
  }
}

TEST(Reconstruct, stops_by_itself_when_nothing_is_asked_for) {
  Scan scan;
  add_gaussian_noise(scan.sinogram, 0.3, 1);
  for (const char* method : {"auto", "cgls", "sart", "minibatch-hbm"}) {
    ReconstructOptions o;
    o.method = method;
    if (o.method == "sart") o.relaxation = 0.2;
    const auto out = reconstruct(scan.g, scan.sinogram, o);
    EXPECT_EQ(out.report.status, Status::converged) << method << ": " << out.report.reason;
    EXPECT_NEAR(out.noise.value(), 0.3, 0.06) << method;
  }
}

// sirt gains less than 2 % a pass long before it is there: that is no convergence.
TEST(Reconstruct, does_not_call_a_plateau_convergence) {
  const Scan scan;
  ReconstructOptions o;
  o.method = "sirt";
  o.plateau = 0.02;
  const auto out = reconstruct(scan.g, scan.sinogram, o, nullptr, scan.image);
  EXPECT_EQ(out.report.status, Status::stagnated);
  EXPECT_NE(out.report.reason.find("plateau"), std::string::npos) << out.report.reason;
}

TEST(Reconstruct, keeps_within_bounds_and_starts_from_fbp) {
  Scan scan;
  add_gaussian_noise(scan.sinogram, 0.5, 1);
  for (const char* method : {"minibatch-hbm", "rk", "nag", "sirt", "sart"}) {
    ReconstructOptions o;
    o.method = method;
    o.max_passes = 3;
    o.lower = 0.0;
    o.upper = 0.9;
    o.start = "fbp";
    for (double v : reconstruct(scan.g, scan.sinogram, o).images)
      ASSERT_TRUE(v >= 0.0 && v <= 0.9) << method;
  }
}

TEST(Reconstruct, hands_out_images_on_the_way_without_changing_the_end) {
  const Scan scan;
  for (const char* method : {"minibatch-hbm", "sirt"}) {
    ReconstructOptions o;
    o.method = method;
    o.max_iterations = 12;
    const auto plain = reconstruct(scan.g, scan.sinogram, o);
    std::vector<Index> seen;
    o.image_every = 5;
    o.on_image = [&](Index k, const std::vector<double>&, Index) { seen.push_back(k); };
    EXPECT_EQ(reconstruct(scan.g, scan.sinogram, o).images, plain.images);
    ASSERT_GE(seen.size(), 2u);
    EXPECT_EQ(seen[0], 5);
    EXPECT_EQ(seen[1], 10);
  }
}

// theory.md's own numbers for this scan: B* = 407 at momentum 0.95 has
// alpha·lambda_max = 0.028 and covers a condition number of 44.
TEST(Parameters, follow_from_a_wanted_batch) {
  const double F2 = 2.791e6, L = 4.450e4;
  const double alpha = step_for(407, 0.95, F2, L, 4096);
  EXPECT_NEAR(alpha * L, 0.0284, 2e-4);
  EXPECT_NEAR(kappa_covered(alpha, 0.95, L), 44.0, 1.0);
  EXPECT_NEAR(batch_for(alpha, 0.95, F2, L, 4096), 407.0, 1e-9);
}

TEST(Reconstruct, refuses_what_does_not_fit) {
  const Scan scan;
  const auto code = [&](auto change, std::vector<double> data) {
    ReconstructOptions o;
    change(o);
    try {
      static_cast<void>(reconstruct(scan.g, data, o));
    } catch (const Error& e) {
      return static_cast<int>(e.code());
    }
    return 0;
  };
  const auto nothing = [](ReconstructOptions&) {};
  auto bad = scan.sinogram;
  bad[7] = NAN;
  EXPECT_EQ(code(nothing, bad), 65);
  EXPECT_EQ(code(nothing, std::vector<double>(10)), 65);
  EXPECT_EQ(code([](auto& o) { o.method = "magic"; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "sirt", o.relaxation = 2; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "sirt", o.ridge = 1; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "cgls", o.b_star = 4; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "cgls", o.lower = 0; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.start = "here"; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "tv", o.batch = 3; }, scan.sinogram), 2);
  EXPECT_EQ(code([](auto& o) { o.method = "sirt", o.smoothing = 0.1; }, scan.sinogram), 2);
}

}  // namespace
}  // namespace polyak::tomography
