// The paper's scan in numbers, measured once by others for every projector.
#include <gtest/gtest.h>

#include "scans.hpp"

namespace polyak::tomography::table {
using namespace polyak::internal;

namespace {

struct Measured {
  RayModel model;
  double spacing, nonzeros, zero, frobenius2, lambda_max, eta;
};

class PaperScan : public testing::TestWithParam<Measured> {};

TEST_P(PaperScan, has_the_entries_and_norms_it_should_have) {
  const Measured& m = GetParam();
  const Geometry scan = paper_scan(m.spacing);
  const MatrixPtr A = system_matrix(scan, m.model);
  const Index n = A->rows(), d = A->cols();
  std::vector<double> norms(to_size(n)), columns(to_size(d));
  A->norms(0, n, 1.0, norms, columns);
  double sum = 0.0, largest = 0.0, zero = 0.0;
  for (double v : norms) sum += v, largest = std::max(largest, v), zero += v == 0.0;
  EXPECT_NEAR(static_cast<double>(A->nonzeros()), m.nonzeros, 1e-3 * m.nonzeros);
  EXPECT_NEAR(zero, m.zero, 1e-3 * m.zero);
  EXPECT_NEAR(sum, m.frobenius2, 1e-3 * m.frobenius2);
  EXPECT_NEAR(largest * static_cast<double>(n) / sum, m.eta, 5e-3 * m.eta);
  const NormBounds bounds = norm_bounds(*A, {}, 15);
  EXPECT_NEAR(bounds.lower, m.lambda_max, 1e-3 * m.lambda_max);
  EXPECT_GE(bounds.upper, bounds.lower);
  const RayCounts counts = count_rays(scan, m.model);
  EXPECT_EQ(counts.nonzeros, A->nonzeros());
  EXPECT_EQ(static_cast<double>(counts.zero), zero);
  EXPECT_EQ(2 * counts.duplicate, n - counts.zero);  // a full turn sees every line twice
}

std::string name(const testing::TestParamInfo<Measured>& info) {
  return name_of(info.param.model) + "_" +
         std::to_string(static_cast<int>(std::lround(1e4 * info.param.spacing)));
}
constexpr double root = std::numbers::sqrt2 / 2;
INSTANTIATE_TEST_SUITE_P(
    , PaperScan,
    testing::Values(Measured{RayModel::line, 1.0, 3.755e6, 33480, 2.791e6, 4.450e4, 3.53},
                    Measured{RayModel::line, root, 5.310e6, 9160, 3.937e6, 6.293e4, 2.06},
                    Measured{RayModel::line, 0.5, 7.050e6, 0, 5.257e6, 8.816e4, 1.99},
                    Measured{RayModel::linear, 1.0, 5.299e6, 33142, 2.215e6, 4.449e4, 4.44},
                    Measured{RayModel::linear, 0.5, 10.01e6, 0, 4.143e6, 8.814e4, 2.53},
                    Measured{RayModel::strip, 1.0, 6.692e6, 32735, 1.979e6, 4.448e4, 2.98},
                    Measured{RayModel::strip, 0.5, 9.812e6, 0, 4.669e6, 8.816e4, 1.71}),
    name);

}  // namespace
}  // namespace polyak::tomography::table
