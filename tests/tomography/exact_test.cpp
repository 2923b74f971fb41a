// Rays against integrals known in closed form.
#include <gtest/gtest.h>

#include "polyak/tomography_phantom.hpp"
#include "scans.hpp"
#include "tomography/projectors/rays.hpp"

namespace polyak::tomography {
using namespace polyak::tomography::internal;

namespace {

// The image of ones is a rectangle: its chords are those of the whole grid.
TEST(Line, sums_to_the_chord_of_the_image) {
  for (Beam beam : {Beam::parallel, Beam::fan}) {
    const Geometry scan = odd_scan(beam);
    const double side = 0.5 * scan.image.pixel * 19.0;  // 1 in the phantoms' square
    const Phantom whole{{}, {{0, 0, 0.5 * 23 * scan.image.pixel / side, 1.0, 0, 1}}};
    const auto exact = exact_projections(whole, scan);
    const auto sums = times(*projector(scan, RayModel::line),
                            std::vector<double>(to_size(scan.image.size()), 1.0));
    for (std::size_t r = 0; r < sums.size(); ++r) ASSERT_NEAR(sums[r], exact[r], 1e-10) << r;
  }
}

// One pixel at a time, against the chord of that square.
TEST(Line, gives_each_pixel_its_chord) {
  const Geometry scan = odd_scan(Beam::parallel);
  const MatrixPtr A = projector(scan, RayModel::line);
  const double side = 0.5 * scan.image.pixel * 19.0;
  for (Index pixel : {0, 22, 200, 219, 436}) {
    const double x = (static_cast<double>(pixel % 23) - 11.0) * scan.image.pixel / side;
    const double y = (9.0 - static_cast<double>(pixel / 23)) * scan.image.pixel / side;
    const double half = 0.5 * scan.image.pixel / side;
    const auto exact = exact_projections({{}, {{x, y, half, half, 0, 1}}}, scan);
    std::vector<double> one(to_size(scan.image.size()), 0.0);
    one[to_size(pixel)] = 1.0;
    const auto Ax = times(*A, one);
    for (std::size_t r = 0; r < Ax.size(); ++r) ASSERT_NEAR(Ax[r], exact[r], 1e-10);
  }
}

double mean_error(RayModel model, Index size, const Phantom& phantom) {
  Geometry scan;
  scan.angles = {0.1, 0.5, 0.9, 1.3, 2.0, 2.9};
  scan.detectors = 200;
  scan.spacing = 0.008;
  scan.image = {size, size, 2.0 / static_cast<double>(size)};
  const auto exact = exact_projections(phantom, scan);
  const auto sums = times(*projector(scan, model), draw(phantom, scan.image, 8));
  double sum = 0.0;
  for (std::size_t r = 0; r < sums.size(); ++r) sum += std::abs(sums[r] - exact[r]);
  return sum / static_cast<double>(sums.size());
}

// Edges leave first order in the pixel size, and a ray that grazes one more.
TEST(AllModels, come_nearer_to_the_exact_integrals_on_finer_images) {
  for (const Phantom& phantom : {disc(), shepp_logan(), rectangle()}) {
    for (RayModel model : {RayModel::line, RayModel::linear}) {
      const double coarse = mean_error(model, 32, phantom), fine = mean_error(model, 256, phantom);
      EXPECT_LT(fine, coarse / 5.0) << name_of(model);
    }
  }
}

// Strips average over the element: compared with many rays in each.
TEST(Strip, is_the_mean_of_the_lines_in_it) {
  for (Beam beam : {Beam::parallel, Beam::fan}) {
    Geometry scan = odd_scan(beam);
    const auto x = normals(scan.image.size(), 9);
    const auto strips = times(*projector(scan, RayModel::strip), x);
    constexpr Index fine = 400;
    scan.detectors *= fine;
    scan.spacing /= fine;
    const auto lines = times(*projector(scan, RayModel::line), x);
    double error = 0.0, size = 0.0;
    for (std::size_t r = 0; r < strips.size(); ++r) {
      double mean = 0.0;
      for (std::size_t k = 0; k < fine; ++k) mean += lines[r * fine + k] / fine;
      error += std::pow(strips[r] - mean, 2);
      size += mean * mean;
    }
    EXPECT_LT(std::sqrt(error / size), beam == Beam::parallel ? 5e-4 : 1e-2);
  }
}

TEST(Conventions, are_those_of_the_manual) {
  Geometry scan;
  scan.angles = {0.0, std::numbers::pi / 2};
  scan.detectors = 4;
  scan.image = {4, 4, 1.0};
  std::vector<double> x(16, 0.0);
  x[1] = 1.0;  // row 0, column 1: top, left of the middle
  const auto y = times(*projector(scan, RayModel::line), x);
  // At 0 degrees elements count with +x; at 90 with +y, and row 0 is at the top.
  EXPECT_EQ(y, (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 1}));
  scan.offsets = {offset_of_center(3.0, 4, 1.0)};  // the axis one element to the right
  EXPECT_EQ(scan.offsets[0], -1.0);
  const auto moved = times(*projector(scan, RayModel::line), x);
  EXPECT_EQ(moved, (std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(Conventions, put_the_fans_source_below_at_angle_zero) {
  Geometry scan = odd_scan(Beam::fan);
  scan.angles = {0.0};
  scan.offsets = {};
  const Line line = ray(scan, 0, 31.0);
  EXPECT_DOUBLE_EQ(line.at.y, -41.0);
  EXPECT_DOUBLE_EQ(line.at.x, 0.0);
  EXPECT_GT(line.along.x, 0.0);
  EXPECT_GT(line.along.y, 0.0);
}

TEST(Line, on_an_edge_belongs_to_the_pixel_on_the_right_or_below) {
  Geometry scan;
  scan.angles = {0.0, std::numbers::pi / 2, std::numbers::pi};
  scan.detectors = 3;
  scan.image = {4, 4, 1.0};
  const MatrixPtr A = system_matrix(scan, RayModel::line);
  std::vector<double> row(16);
  A->copy_rows(1, 2, as_vector(row));  // x = 0: between columns 1 and 2
  EXPECT_EQ(row[2], 1.0);
  EXPECT_EQ(row[1], 0.0);
  A->copy_rows(4, 5, as_vector(row));  // y = 0: between rows 1 and 2
  EXPECT_EQ(row[8], 1.0);
  EXPECT_EQ(row[4], 0.0);
  A->copy_rows(7, 8, as_vector(row));
  EXPECT_EQ(row[2], 1.0);
}

}  // namespace
}  // namespace polyak::tomography
