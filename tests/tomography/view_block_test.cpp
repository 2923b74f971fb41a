// The fast ways through a projector against the rows RayMaker makes.
#include <gtest/gtest.h>

#include "polyak/simd.hpp"
#include "scans.hpp"
#include "tomography/projectors/ray_maker.hpp"

namespace polyak::tomography::view_block {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

struct Shape {
  const char* name;
  Geometry scan;
};

Geometry scan_of(ImageGrid image, Index views, Index detectors, double spacing, double offset) {
  Geometry g;
  g.angles = turn(views, 360.0);
  if (views > 4) g.angles[1] = std::numbers::pi / 4, g.angles[2] = std::numbers::pi / 2 + 1e-14;
  g.detectors = detectors;
  g.spacing = spacing;
  g.offsets = {offset};
  g.image = image;
  return g;
}

// Wider and narrower than the image, fine and coarse elements, images of one
// row or column, lines a power of two long, more rays than a block has.
std::vector<Shape> shapes() {
  return {{"odd", odd_scan(Beam::parallel)},
          {"fine", scan_of({19, 23, 0.71}, 36, 150, 0.21, 0.1)},
          {"widest_strip", scan_of({19, 23, 1.0}, 36, 40, 1.4, 0.3)},
          {"coarse", scan_of({19, 23, 0.5}, 36, 20, 1.7, 0.0)},
          {"narrow", scan_of({40, 32, 1.0}, 24, 17, 1.0, 2.5)},
          {"one_row", scan_of({1, 30, 1.0}, 24, 33, 1.0, 0.25)},
          {"one_column", scan_of({30, 1, 1.0}, 24, 33, 1.0, 0.25)},
          {"long_lines", scan_of({496, 9, 1.0}, 8, 200, 1.3, 0.0)},
          {"many_rays", scan_of({12, 12, 1.0}, 700, 25, 1.0, 0.0)}};
}

class Fast : public testing::TestWithParam<RayModel> {};

std::vector<double> defined_product(const Geometry& scan, RayModel model,
                                    const std::vector<double>& x, const std::vector<double>& y,
                                    std::vector<double>& back) {
  const RayMaker maker(scan, model);
  std::vector<std::int32_t> columns(to_size(maker.capacity()));
  std::vector<double> values(to_size(maker.capacity())), out;
  back.assign(x.size(), 0.0);
  for (Index r = 0; r < scan.rays(); ++r) {
    const Index count = maker.make(r, columns.data(), values.data());
    double sum = 0.0;
    for (Index k = 0; k < count; ++k) {
      const std::size_t at = to_size(k), column = to_size(columns[at]);
      sum += values[at] * x[column];
      back[column] += values[at] * y[to_size(r)];
    }
    out.push_back(sum);
  }
  return out;
}

double largest(const std::vector<double>& v) {
  double out = 0.0;
  for (double a : v) out = std::max(out, std::abs(a));
  return out;
}

// A sum of m terms is known to m·u times the sum of their sizes; RayMaker also
// drops shares below 1e-12, and a crossing is rounded to u times its size, which
// a line of slope q magnifies 1/q times (q = 1e-14 here counts as 0).
TEST_P(Fast, products_are_those_of_the_rows_but_for_rounding) {
  for (const Shape& shape : shapes()) {
    const MatrixPtr A = projector(shape.scan, GetParam());
    const auto x = normals(A->cols(), 1), y = normals(A->rows(), 2);
    std::vector<double> defined_back;
    const auto defined = defined_product(shape.scan, GetParam(), x, y, defined_back);
    const auto Ax = times(*A, x), Aty = transposed_times(*A, y);
    for (std::size_t r = 0; r < Ax.size(); ++r)
      ASSERT_NEAR(Ax[r], defined[r], 1e-11 * largest(defined)) << shape.name << ", ray " << r;
    for (std::size_t j = 0; j < Aty.size(); ++j)
      ASSERT_NEAR(Aty[j], defined_back[j], 1e-11 * largest(defined_back)) << shape.name;
    const double scale = std::sqrt(dot(Ax, Ax) * dot(y, y));
    EXPECT_NEAR(dot(Ax, y), dot(x, Aty), 1e-13 * scale) << shape.name;
  }
}

// A ray along the image that crosses it a hair outside of the first or the last
// pixel's middle must not reach for the pixel beyond.
TEST_P(Fast, rays_along_the_rim_stay_within_the_image) {
  for (const double hair : {0.0, 1e-15, -1e-15, 5e-7, -5e-7, 9e-6, -9e-6, 0.4, -0.4}) {
    for (const double angle : {0.0, 1e-15, 1e-9, std::numbers::pi / 2, std::numbers::pi}) {
      Geometry scan = scan_of({6, 6, 1.0}, 1, 6, 1.0, hair);
      scan.angles = {angle};
      const RayMaker maker(scan, GetParam());
      std::vector<std::int32_t> columns(to_size(maker.capacity()));
      std::vector<double> values(columns.size());
      for (Index r = 0; r < scan.rays(); ++r) {
        const Index count = maker.make(r, columns.data(), values.data());
        for (Index k = 0; k < count; ++k) {
          ASSERT_GE(columns[to_size(k)], 0) << hair << " " << angle;
          ASSERT_LT(columns[to_size(k)], 36) << hair << " " << angle;
        }
      }
      // What is beside the image is not a number, and must not matter.
      std::vector<double> x(36 + 64, std::nan("")), steps(6, 0.1), b(6, 1.0);
      const auto ones = normals(36, 1);
      std::copy(ones.begin(), ones.end(), x.begin() + 32);
      const MatrixPtr A = projector(scan, GetParam());
      const View inside{x.data() + 32, 1, 36, 36};
      A->kaczmarz(std::vector<Index>{0, 5, 1, 4, 2, 3}, steps, 1.0, as_column(b), inside);
      for (Index j = 0; j < 36; ++j) ASSERT_TRUE(std::isfinite(inside(0, j))) << hair;
    }
  }
}

TEST_P(Fast, ranges_give_the_bits_that_the_whole_gives) {
  const Geometry scan = odd_scan(Beam::parallel);
  const MatrixPtr A = projector(scan, GetParam());
  const auto x = normals(A->cols(), 1);
  const auto whole = times(*A, x);
  const Index n = A->rows();
  for (Index first = 0; first + 16 <= n; first += 97) {
    const Index last = std::min(n, first + 16 + first % 61);
    std::vector<double> part(to_size(last - first));
    A->multiply(first, last, as_vector(x), as_column(part));
    for (Index i = first; i < last; ++i)
      ASSERT_EQ(part[to_size(i - first)], whole[to_size(i)]) << first << " " << i;
  }
}

TEST_P(Fast, a_list_of_neighbours_is_a_range) {
  const Geometry scan = odd_scan(Beam::parallel);
  const MatrixPtr A = projector(scan, GetParam());
  const auto x = normals(A->cols(), 1), b = normals(A->rows(), 2), w = normals(A->rows(), 3);
  std::vector<Index> rows;
  for (Index i = 50; i < 130; ++i) rows.push_back(i);
  std::vector<double> listed(x.size(), 0.0), ranged(x.size(), 0.0), residual2(1, 0.0);
  const std::span weights(w.data(), rows.size());
  A->gradient(rows, weights, {0.5, 2.0}, as_vector(x), as_column(b), as_vector(listed));
  A->range_gradient(50, 130, weights, {0.5, 2.0}, as_vector(x), as_column(b), as_vector(ranged),
                    residual2);
  EXPECT_EQ(listed, ranged);
  // One ray twice is no range, though it is as long as one.
  rows[10] = rows[9];
  std::vector<double> repeated(x.size(), 0.0);
  A->gradient(rows, weights, {0.5, 2.0}, as_vector(x), as_column(b), as_vector(repeated));
  EXPECT_NE(repeated, ranged);
}

TEST_P(Fast, every_vector_width_gives_the_same_bits) {
  const std::string now = simd_target();
  for (Beam beam : {Beam::parallel, Beam::fan}) {
    const MatrixPtr A = projector(odd_scan(beam), GetParam());
    const auto x = normals(A->cols(), 1), y = normals(A->rows(), 2);
    std::vector<Index> rows;
    for (Index i = 0; i < A->rows(); i += 3) rows.push_back(i);
    const std::vector<double> steps(rows.size(), 0.01);
    std::vector<std::vector<double>> seen;
    for (const std::string& target : simd_targets()) {
      ASSERT_TRUE(use_simd_target(target));
      std::vector<double> all = times(*A, x), z = x;
      const auto back = transposed_times(*A, y);
      A->kaczmarz(rows, steps, 1.0, as_column(y), as_vector(z));
      all.insert(all.end(), back.begin(), back.end());
      all.insert(all.end(), z.begin(), z.end());
      seen.push_back(all);
    }
    use_simd_target(now);
    for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(, Fast, testing::Values(RayModel::line, RayModel::linear, RayModel::strip),
                         [](const auto& model) { return name_of(model.param); });

}  // namespace
}  // namespace polyak::tomography::view_block
