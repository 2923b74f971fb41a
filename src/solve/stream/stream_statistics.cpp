#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/factor.hpp"
#include "solve/report/regression.hpp"
#include "solve/stream/stream_report.hpp"

namespace polyak {
namespace {

// [S rhs] as one triangle: the rows of other columns are below it.
Buffer regression_triangle(const Triangle& triangle, const TriangleFit& fit) {
  const Index height = triangle.height(), J = triangle.unknowns(), width = J + triangle.c;
  Buffer rows(height, width), out(width, width);
  for (Index i = 0; i < height; ++i) {
    std::copy_n(fit.S.view().row(i), J, rows.view().row(i));
    std::copy_n(fit.rhs.view().row(i), triangle.c, rows.view().row(i) + J);
  }
  householder_r(rows.view());
  for (Index i = 0; i < width; ++i)
    std::copy_n(std::as_const(rows).view().row(i), width, out.view().row(i));
  return out;
}

// Σ w (b − mean)², what the column of ones leaves of b; or Σ w b².
double total2(const Triangle& triangle, const TriangleFit& fit, Index k, bool centred) {
  const Index height = triangle.height();
  Buffer two(height, 2);
  for (Index i = 0; i < height; ++i) {
    two.view()(i, 0) = i <= triangle.d ? triangle.r.view()(i, triangle.d) : 0.0;
    two.view()(i, 1) = fit.b.view()(i, k);
  }
  if (centred) householder_r(two.view());
  double sum = 0.0;
  for (Index i = centred ? 1 : 0; i < height; ++i) sum += two.view()(i, 1) * two.view()(i, 1);
  return sum;
}

}  // namespace

// The step and the residual of the base have the same R and the same r as x and b.
Statistics stream_statistics(const SolvedStream& solved, Report& report) {
  const Triangle& triangle = solved.triangle;
  const TriangleFit& fit = solved.fit;
  const Index J = triangle.unknowns();
  const RegressionFactor factor(regression_triangle(triangle, fit), J,
                                solved.pass.has_constant_column());
  RegressionFit out{.observations = triangle.total_weight,
                    .centred = factor.has_constant_column(),
                    .ridge = solved.problem.ridge > 0.0,
                    .bounds = false};
  for (Index k = 0; k < triangle.c; ++k) {
    out.x.emplace_back(fit.step.begin() + k * J, fit.step.begin() + (k + 1) * J);
    out.total2.push_back(total2(triangle, fit, k, out.centred));
  }
  out.b_norms = fit.user_b_norms;
  out.map = &fit.map;
  out.of_b = out.of_residual = std::ilogb(fit.scale_b);
  return regression_statistics(factor, out, report);
}

}  // namespace polyak
