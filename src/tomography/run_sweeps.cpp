#include "tomography/block_sweeps.hpp"
#include "tomography/image_run.hpp"
#include "tomography/iterations.hpp"

namespace polyak::tomography {
namespace {

std::vector<double> copy_of(ConstView x) { return {x.data, x.data + x.size()}; }

Reconstruction sweeps(ImageRun& run, Index rays_per_view, Index block, const RunState* from) {
  const ReconstructOptions& o = run.options();
  const double start = now_s();
  BlockSweeps sweeps(run.problem(), run.products(), rays_per_view, block, o.relaxation);
  run.report().seconds.setup = now_s() - start;
  run.report().used.step_size = o.relaxation;
  if (from) {
    run.resume(*from);
    sweeps.set_x(from->method.vectors[0]);
  } else {
    run.measure(sweeps.x());
  }
  const auto vectors = [&] { return std::vector<std::vector<double>>{copy_of(sweeps.x())}; };
  while (!run.must_end(vectors)) {
    run.iterate([&] { sweeps.sweep(); });
    if (run.measures_now()) run.measure(sweeps.x());
    const Index k = run.report().iterations;
    if (o.on_image && o.image_every > 0 && k % o.image_every == 0)
      o.on_image(k, copy_of(sweeps.x()), 0);
  }
  return run.cut_off(sweeps.x());
}

}  // namespace

Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from) {
  ImageRun run(problem, options, rules);
  if (options.method == "fbp")
    return run.end(problem.x0(), Status::converged, "filtered back projection, one shot");
  return sweeps(run, geometry.detectors, options.method == "sart" ? 1 : geometry.views(), from);
}

}  // namespace polyak::tomography
