#include "experiments/scan.hpp"

#include <numbers>

#include "polyak/tomography_phantom.hpp"

namespace polyak::experiments {

tomography::Geometry geometry_of(const ScanSpec& scan) {
  tomography::Geometry out;
  const double step = scan.turn * std::numbers::pi / 180.0 / static_cast<double>(scan.views);
  for (Index v = 0; v < scan.views; ++v) out.angles.push_back(step * static_cast<double>(v));
  out.detectors = scan.detectors;
  out.spacing = scan.spacing;
  out.image = {scan.size, scan.size, 1.0};
  return out;
}

std::vector<double> planted_image(const ProblemSpec& problem) {
  const tomography::ImageGrid grid{problem.scan.size, problem.scan.size, 1.0};
  const std::string& name = problem.scan.phantom;
  if (name == "shepp-logan") return draw(tomography::shepp_logan(), grid);
  if (name == "disc") return draw(tomography::disc(), grid);
  if (name == "rectangle") return draw(tomography::rectangle(), grid);
  return draw_walnut(grid, problem.seed);
}

Scan make_scan(const ProblemSpec& problem, int threads) {
  Scan out;
  const auto model = tomography::ray_model_named(problem.scan.projector);
  out.A = system_matrix(geometry_of(problem.scan), model, threads);
  out.image = planted_image(problem);
  const Index n = out.A->rows(), d = out.A->cols();
  out.b.resize(to_size(n));
  out.A->multiply(0, n, {out.image.data(), 1, d, d}, {out.b.data(), n, 1, 1});
  return out;
}

}  // namespace polyak::experiments
