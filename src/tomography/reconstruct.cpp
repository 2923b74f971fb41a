#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "matrix/products.hpp"
#include "polyak/error.hpp"
#include "polyak/methods.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "tomography/iterations.hpp"

namespace polyak::tomography {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& where, const std::string& what,
                         const std::string& found, const std::string& expected) {
  throw Error(code, {.what = what, .where = where, .found = found, .expected = expected});
}

bool is_sweep(const std::string& method) { return method == "sirt" || method == "sart"; }

// sirt, sart and fbp read next to nothing of what steers the library's methods;
// those refuse what they do not use by themselves.
void check_unused(const ReconstructOptions& o) {
  const bool fbp = o.method == "fbp";
  const std::pair<const char*, bool> given[] = {
      {"batch", o.batch.has_value()},       {"step-size", o.step_size.has_value()},
      {"momentum", o.momentum.has_value()}, {"b-star", o.b_star.has_value()},
      {"coverage", o.coverage.has_value()}, {"sampling", o.sampling != "row-norm"},
      {"ridge", o.ridge > 0.0},             {"relaxation", fbp && o.relaxation != 1.0},
      {"noise", fbp && o.noise},            {"plateau", fbp && o.plateau},
      {"start", fbp && o.start != "zero"}};
  for (const auto& [name, used] : given) {
    if (used)
      refuse(ErrorCode::usage, std::string("--") + name,
             "the method " + o.method + " does not use this option", "a value", "none");
  }
}

void check_options(const ReconstructOptions& o) {
  if (is_sweep(o.method) && !(o.relaxation > 0.0 && o.relaxation < 2.0))
    refuse(ErrorCode::usage, "relaxation", "the relaxation is not stable",
           fmt::format("{:g}", o.relaxation), "above 0 and below 2");
  if (is_sweep(o.method) || o.method == "fbp") check_unused(o);
  if (o.start != "zero" && o.start != "fbp")
    refuse(ErrorCode::usage, "start", "there is no such start", "'" + o.start + "'", "zero or fbp");
}

// The first value that is not finite is named by view and element.
void check_data(const Geometry& g, const std::vector<double>& sinograms) {
  const Index rays = g.rays();
  if (sinograms.empty() || std::ssize(sinograms) % rays != 0)
    refuse(ErrorCode::bad_data, "sinogram", "the sinogram does not fit the geometry",
           std::to_string(sinograms.size()) + " values",
           fmt::format("{} angles x {} detectors", g.views(), g.detectors));
  for (std::size_t k = 0; k < sinograms.size(); ++k) {
    if (std::isfinite(sinograms[k])) continue;
    const Index r = static_cast<Index>(k) % rays;
    refuse(ErrorCode::bad_data,
           fmt::format("sinogram, view {}, element {} (counted from 1)", r / g.detectors + 1,
                       r % g.detectors + 1),
           "a value is not finite", fmt::format("{}", sinograms[k]),
           "a finite number; --mask leaves rays out");
  }
}

// rows × columns to columns × rows.
std::vector<double> transposed(const std::vector<double>& in, Index rows) {
  const Index cols = std::ssize(in) / rows;
  std::vector<double> out(in.size());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out[to_size(j * rows + i)] = in[to_size(i * cols + j)];
  return out;
}

ProblemData problem_data(const Geometry& g, const std::vector<double>& sinograms,
                         const ReconstructOptions& o, const std::vector<double>& reference) {
  const Index slices = std::ssize(sinograms) / g.rays(), d = g.image.size();
  const RayModel model = ray_model_named(o.projector);
  const int threads = static_cast<int>(o.threads);
  ProblemData data;
  data.A = o.stored ? system_matrix(g, model, threads) : projector(g, model, {}, threads);
  data.b = Array(transposed(sinograms, slices), g.rays(), slices);
  data.weights = o.weights;
  data.ridge = o.ridge;
  if (o.lower) data.lower = {*o.lower};
  if (o.upper) data.upper = {*o.upper};
  if (!reference.empty()) data.reference = Array(transposed(reference, slices), d, slices);
  if (o.start == "fbp" || o.method == "fbp") {
    auto start = filtered_back_projection(g, sinograms, o.filter, threads);
    for (double& v : start)
      v = std::min(std::max(v, o.lower.value_or(-1e300)), o.upper.value_or(1e300));
    data.x0 = Array(transposed(start, slices), d, slices);
  }
  return data;
}

// b − A·x with the other sign, for every slice.
std::vector<double> residual_of(const Problem& problem, const std::vector<double>& images,
                                int threads) {
  const Index n = problem.rows(), d = problem.cols(), slices = problem.right_hand_sides();
  std::vector<double> r(to_size(n * slices));
  ThreadTeam team(threads);
  Products(problem.A(), {}, {}, team)
      .multiply({images.data(), slices, d, d}, {r.data(), n, slices, slices});
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < slices; ++c) r[to_size(i * slices + c)] -= problem.b()(i, c);
  return transposed(r, n);
}

}  // namespace

Reconstruction reconstruct(const Geometry& geometry, const std::vector<double>& sinograms,
                           const ReconstructOptions& asked, Observer* observer,
                           const std::vector<double>& reference) {
  ReconstructOptions options = asked;
  if (options.method == "kaczmarz") options.method = "rk";
  check(geometry);
  check_options(options);
  check_data(geometry, sinograms);
  const auto problem =
      std::make_shared<const Problem>(problem_data(geometry, sinograms, options, reference));
  const double weight_sum = options.weights.empty() ? static_cast<double>(problem->rows())
                                                    : std::accumulate(options.weights.begin(),
                                                                      options.weights.end(), 0.0);
  const bool limited = options.noise || options.plateau || options.max_passes ||
                       options.max_iterations || options.time_limit_s;
  if (!limited) options.plateau = 0.02, options.max_passes = 100.0;
  StopRules rules(options, weight_sum, problem->rows(), observer);
  Reconstruction out = is_sweep(options.method) || options.method == "fbp"
                           ? run_sweeps(*problem, geometry, options, rules)
                           : run_solver(problem, options, rules);
  if (!rules.reason().empty()) {
    out.report.status = Status::converged;
    out.report.reason = rules.reason();
  }
  out.report.x = Array(transposed(out.images, problem->right_hand_sides()), problem->cols(),
                       problem->right_hand_sides());
  out.residual = residual_of(*problem, out.images, static_cast<int>(options.threads));
  return out;
}

}  // namespace polyak::tomography
