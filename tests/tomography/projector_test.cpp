#include <gtest/gtest.h>

#include "matrix/products.hpp"
#include "polyak/error.hpp"
#include "scans.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

namespace {

struct Case {
  Beam beam;
  RayModel model;
};

class Projector : public testing::TestWithParam<Case> {
 protected:
  Geometry scan = odd_scan(GetParam().beam);
  MatrixPtr A = projector(scan, GetParam().model);
  MatrixPtr stored = system_matrix(scan, GetParam().model);
};

TEST_P(Projector, forward_and_back_projection_are_adjoint) {
  const auto x = normals(A->cols(), 1), y = normals(A->rows(), 2);
  for (const MatrixPtr& M : {A, stored}) {
    const auto Ax = times(*M, x), Aty = transposed_times(*M, y);
    const double scale = std::sqrt(dot(Ax, Ax) * dot(y, y));
    EXPECT_NEAR(dot(Ax, y), dot(x, Aty), 1e-13 * scale);
  }
}

TEST_P(Projector, makes_the_rows_that_the_stored_matrix_holds) {
  ASSERT_EQ(A->rows(), stored->rows());
  ASSERT_EQ(A->nonzeros(), stored->nonzeros());
  std::vector<double> a(to_size(A->cols())), b(a.size());
  for (Index i = 0; i < A->rows(); ++i) {
    A->copy_rows(i, i + 1, as_vector(a));
    stored->copy_rows(i, i + 1, as_vector(b));
    ASSERT_EQ(a, b) << "ray " << i;
  }
}

TEST_P(Projector, does_every_operation_as_the_stored_matrix_does) {
  const Index n = A->rows(), d = A->cols();
  const auto x = normals(2 * d, 3), b = normals(2 * n, 4), w = normals(n, 5);
  const ConstView xs{x.data(), 2, d, d}, bs{b.data(), n, 2, 2};
  std::vector<Index> rows;
  std::vector<double> weights;
  for (Index i = 0; i < n; i += 7) rows.push_back(i), weights.push_back(std::abs(w[to_size(i)]));
  std::vector<std::vector<double>> seen;
  for (const MatrixPtr& M : {A, stored}) {
    std::vector<double> g(to_size(4 * d), 0.0), norms(to_size(n)), columns(to_size(d), 0.0),
        r2(2, 0);
    M->gradient(rows, weights, {}, xs, bs, {g.data(), 2, d, d});
    M->range_gradient(3, n - 2, {}, {}, xs, bs, {g.data() + 2 * d, 2, d, d}, r2);
    std::vector<double> steps(weights), z(x);
    for (double& s : steps) s *= 1e-3;
    M->kaczmarz(rows, steps, 1.0, bs, {z.data(), 2, d, d});
    M->norms(0, n, 1.0, norms, columns);
    for (const auto* more : {&z, &norms, &columns, &r2})
      g.insert(g.end(), more->begin(), more->end());
    g.push_back(M->max_abs(0, n));
    seen.push_back(g);
  }
  for (std::size_t k = 0; k < seen[0].size(); ++k)
    ASSERT_NEAR(seen[0][k], seen[1][k], 1e-11 * (1.0 + std::abs(seen[1][k]))) << k;
}

// The same bits as clamping all of x after every ray, which is what the base class
// does; and a pixel that no ray of the list touches is not looked at.
TEST_P(Projector, keeps_steps_within_bounds_where_they_go) {
  const Index n = A->rows(), d = A->cols();
  auto x = normals(d, 3);
  const auto b = normals(n, 4);
  const std::vector<double> lower(to_size(d), -0.4), upper(to_size(d), 0.3);
  for (double& v : x) v = std::clamp(v, -0.4, 0.3);
  std::vector<Index> rows;
  for (Index i = 0; i < n; i += 5) rows.push_back(i);
  const std::vector<double> steps(rows.size(), 0.02);
  for (const MatrixPtr& M : {A, stored}) {
    auto all = x, touched = x, plain = x;
    M->RowMatrix::kaczmarz_within(rows, steps, 1.0, as_column(b), lower, upper, as_vector(all));
    M->kaczmarz_within(rows, steps, 1.0, as_column(b), lower, upper, as_vector(touched));
    M->kaczmarz(rows, steps, 1.0, as_column(b), as_vector(plain));
    EXPECT_EQ(all, touched);
    EXPECT_NE(all, plain);
    std::vector<double> outside(to_size(d), 9.0), row(to_size(d));
    M->copy_rows(n / 2, n / 2 + 1, as_vector(row));
    M->kaczmarz_within(std::vector<Index>{n / 2}, std::vector<double>{0.02}, 1.0, as_column(b),
                       lower, upper, as_vector(outside));
    Index untouched = 0;
    for (Index j = 0; j < d; ++j) untouched += outside[to_size(j)] == 9.0 ? 1 : 0;
    EXPECT_GT(untouched, d / 2);
    for (Index j = 0; j < d; ++j) {
      if (row[to_size(j)] > 0.0) {
        EXPECT_LE(outside[to_size(j)], 0.3);
      }
    }
  }
}

TEST_P(Projector, gives_the_same_bits_for_any_number_of_threads) {
  const auto x = normals(A->cols(), 6), b = normals(A->rows(), 7);
  std::vector<std::vector<double>> seen;
  for (int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    const MatrixPtr M = projector(scan, GetParam().model, {}, threads);
    Products p(*M, {}, {}, team);
    std::vector<double> g(to_size(A->cols()));
    double r2 = 0;
    p.full_gradient(as_vector(x), as_column(b), as_vector(g), {&r2, 1});
    g.push_back(r2);
    seen.push_back(g);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST_P(Projector, scales_its_columns) {
  std::vector<double> scale(to_size(A->cols()));
  for (std::size_t j = 0; j < scale.size(); ++j) scale[j] = 0.5 + 0.01 * static_cast<double>(j);
  const MatrixPtr S = projector(scan, GetParam().model, scale);
  auto x = normals(A->cols(), 8);
  const auto Sx = times(*S, x);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] *= scale[j];
  const auto Ax = times(*A, x);
  for (std::size_t i = 0; i < Ax.size(); ++i) ASSERT_NEAR(Sx[i], Ax[i], 1e-11);
}

std::string name(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.beam == Beam::fan ? "fan_" : "parallel_") +
         name_of(info.param.model);
}
INSTANTIATE_TEST_SUITE_P(
    , Projector,
    testing::Values(Case{Beam::parallel, RayModel::line}, Case{Beam::parallel, RayModel::linear},
                    Case{Beam::parallel, RayModel::strip}, Case{Beam::fan, RayModel::line},
                    Case{Beam::fan, RayModel::linear}, Case{Beam::fan, RayModel::strip}),
    name);

TEST(Geometry, names_what_makes_no_scan) {
  const auto refused = [](auto change, const std::string& words) {
    Geometry g = odd_scan(Beam::parallel);
    change(g);
    try {
      check(g);
      FAIL() << words;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data);
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  refused([](Geometry& g) { g.image.rows = 0; }, "no pixels");
  refused([](Geometry& g) { g.image.pixel = -1; }, "pixel size is not positive");
  refused([](Geometry& g) { g.angles.clear(); }, "no views");
  refused([](Geometry& g) { g.angles[2] = NAN; }, "angle is not finite");
  refused([](Geometry& g) { g.detectors = 0; }, "no elements");
  refused([](Geometry& g) { g.spacing = 0; }, "spacing is not positive");
  refused([](Geometry& g) { g.offsets = {1, 2}; }, "does not fit the views");
  refused([](Geometry& g) { g.offsets = {100}; }, "off the detector");
  refused([](Geometry& g) { g.beam = Beam::fan; }, "outside the image");
}

}  // namespace
}  // namespace polyak::tomography
