#include "polyak/tomography.hpp"

#include <fmt/format.h>

#include <numbers>

#include "bench/session.hpp"
#include "matrix/products.hpp"

// Projections that compute their rows when needed, compared with ASTRA, and single rays
// compared with a stored matrix.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

using tomography::Geometry;
using tomography::RayModel;

struct Sizes {
  Index side, detectors, views;
};
Sizes sizes_for(const Options& options) {
  return options.quick ? Sizes{48, 68, 30} : Sizes{512, 725, 720};
}

Geometry scan_of(const Sizes& sizes) {
  Geometry g;
  for (Index k = 0; k < sizes.views; ++k)
    g.angles.push_back(std::numbers::pi * static_cast<double>(k) /
                       static_cast<double>(sizes.views));
  g.detectors = sizes.detectors;
  g.image = {sizes.side, sizes.side, 1.0};
  return g;
}

// A with the inputs and outputs of its products.
struct Scan {
  MatrixPtr A;
  std::vector<double> x, g, b, y;

  Scan(MatrixPtr matrix, Session& session)
      : A(std::move(matrix)),
        x(random_values(A->cols(), session.options().seed, session.team())),
        g(x.size()),
        b(random_values(A->rows(), session.options().seed + 1, session.team())),
        y(b.size()) {}

  ConstView image() const { return {x.data(), 1, A->cols(), A->cols()}; }
  View gradient() { return {g.data(), 1, A->cols(), A->cols()}; }
  ConstView data() const { return {b.data(), A->rows(), 1, 1}; }
  View product() { return {y.data(), A->rows(), 1, 1}; }
};

bool has_astra(Session& session) {
  return session.peer() != nullptr && session.peer()->name().find("ASTRA") != std::string::npos;
}

// One forward and one back projection, as every full-gradient method needs them. ASTRA
// computes in single precision, on one thread per call.
void both_ways(Session& session, RayModel model, double fraction) {
  const Sizes sizes = sizes_for(session.options());
  Scan scan(projector(scan_of(sizes), model, {}, session.team().size()), session);
  Products many(*scan.A, {}, {}, session.team()), one(*scan.A, {}, {}, session.single());
  std::vector<double> residual2(1);
  const auto gradient = [&](Products& products) {
    return repeated(nothing, [&scan, &products, &residual2](Index) {
      products.full_gradient(scan.image(), scan.data(), scan.gradient(), residual2);
    });
  };
  const std::string name = name_of(model);
  Race race("tomography", fmt::format("forward and back, {}, {} x {} pixels, {} elements, {} views",
                                      name, sizes.side, sizes.side, sizes.detectors, sizes.views));
  race.add({"polyak", 0.0, gradient(many)});
  race.add({"polyak, 1 thread", 0.0, gradient(one)});
  race.add({"polyak, forward alone", 0.0,
            repeated(nothing, [&](Index) { many.multiply(scan.image(), scan.product()); })});
  race.add({"polyak, back alone", 0.0,
            repeated(nothing, [&](Index) { many.transposed(scan.data(), scan.gradient()); })});
  if (has_astra(session))
    session.add_peer(
        race, "ASTRA FP and BP",
        fmt::format("astra_{} {} {} {}", name, sizes.side, sizes.detectors, sizes.views));
  session.run(race, fraction);
  const double entries = 2e-9 * static_cast<double>(scan.A->nonzeros());
  for (const char* who : {"polyak", "polyak, 1 thread", "ASTRA FP and BP"})
    race.pace_of(who, entries, "G entries/s");
  race.faster("polyak", "ASTRA FP and BP", "ASTRA");
  race.faster("polyak", "polyak, 1 thread", "1 thread");
  session.keep(race);
}

// Random single rays: computed for one step, or read from memory.
void single_rays(Session& session, double fraction) {
  constexpr Index steps = 500;
  const Sizes sizes = sizes_for(session.options());
  const Geometry geometry = scan_of(sizes);
  Scan made(projector(geometry, RayModel::line), session);
  Scan stored(system_matrix(geometry, RayModel::line), session);
  FreshRows rows(geometry.rays(), steps, session.options().seed, FreshRows::Order::any);
  const std::vector<double> small(to_size(steps), 1e-9);
  Race race("tomography",
            fmt::format("one Kaczmarz step, line, {} x {} pixels", sizes.side, sizes.side));
  const auto step = [&](Scan& scan) {
    const auto run = repeated([&](Index calls) { rows.prepare(calls); },
                              [&](Index i) {
                                const View x{scan.x.data(), 1, scan.A->cols(), scan.A->cols()};
                                scan.A->kaczmarz(rows(i), small, 1.0, scan.data(), x);
                              });
    return [=](Index calls) { return run((calls + steps - 1) / steps) / steps; };
  };
  race.add({"ray made on the fly", 0.0, step(made)});
  race.add({"ray of a stored matrix", 0.0, step(stored)});
  session.run(race, fraction);
  race.faster("ray made on the fly", "ray of a stored matrix", "stored");
  session.keep(race);
}

}  // namespace

void measure_tomography(Session& session) {
  if (session.peer() != nullptr && !has_astra(session))
    session.note("without ASTRA: the script does not find it (make peers installs it)");
  for (const RayModel model : {RayModel::line, RayModel::linear, RayModel::strip})
    both_ways(session, model, 0.3);
  single_rays(session, 0.1);
}

}  // namespace polyak::bench::internal
