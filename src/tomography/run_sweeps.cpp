#include <fmt/format.h>

#include <cmath>

#include "core/clock.hpp"
#include "polyak/simd.hpp"
#include "tomography/block_sweeps.hpp"
#include "tomography/iterations.hpp"

namespace polyak::tomography {
namespace {

class SweepRun {
 public:
  SweepRun(const Problem& problem, const ReconstructOptions& options, StopRules& rules)
      : problem_(problem),
        o_(options),
        rules_(rules),
        team_(static_cast<int>(options.threads)),
        products_(problem.A(), problem.weights(), {}, team_),
        g_(to_size(problem.cols() * problem.right_hand_sides())),
        residual2_(to_size(problem.right_hand_sides())) {
    const ConstView b = problem.b();
    for (Index i = 0; i < b.rows; ++i)
      for (Index c = 0; c < b.cols; ++c) b2_ += weight(i) * b(i, c) * b(i, c);
  }

  Reconstruction fbp() {
    Report& report = begin();
    measure(problem_.x0(), 0);
    return end(report, problem_.x0(), Status::converged, "filtered back projection, one shot");
  }

  Reconstruction sweeps(Index rays_per_view, Index block, const RunState* from) {
    Report& report = begin();
    const double start = now_s();
    BlockSweeps run(problem_, products_, rays_per_view, block, o_.relaxation);
    report.seconds.setup = now_s() - start;
    report.used.step_size = o_.relaxation;
    if (from) resume(*from, run);
    else measure(run.x(), 0);
    for (Index k = report.iterations + 1;; ++k) {
      if (rules_.snapshot_wanted(false)) save(run.x());
      const std::string why = limit(k - 1);
      const bool stop = rules_.stop_requested();
      if (!why.empty() || stop) {
        if (rules_.snapshot_wanted(true)) save(run.x());
        return end(report, run.x(), why.empty() ? Status::interrupted : Status::limit,
                   why.empty() ? "stopped on request" : why);
      }
      timed(report.seconds.solve, [&] { run.sweep(); });
      report.iterations = k;
      report.row_products = k * problem_.rows();
      rules_.progress(k, report.row_products);
      if (rules_.active() || measures(k)) measure(run.x(), k);
      if (o_.on_image && o_.image_every > 0 && k % o_.image_every == 0)
        o_.on_image(k, std::vector<double>(run.x().data, run.x().data + run.x().size()), 0);
    }
  }

 private:
  void save(ConstView x) {
    const Report& report = out_.report;
    Snapshot out;
    std::vector<double> image(x.data, x.data + x.size());
    out.run.method = {report.iterations, report.row_products, {image}};
    out.run.best = std::move(image);
    out.run.history = report.history;
    out.run.distances.assign(report.history.size(), 0.0);
    out.run.measured_rows = report.measured_row_products;
    out.run.solve_seconds = report.seconds.solve;
    out.run.measure_seconds = report.seconds.measure;
    rules_.snapshot(std::move(out));
  }

  void resume(const RunState& from, BlockSweeps& run) {
    Report& report = out_.report;
    run.set_x(from.method.vectors[0]);
    report.iterations = from.method.iteration;
    report.row_products = from.method.row_products;
    report.history = from.history;
    report.measured_row_products = from.measured_rows;
    report.seconds.solve = from.solve_seconds;
    report.seconds.measure = from.measure_seconds;
    earlier_seconds_ = from.solve_seconds + from.measure_seconds;
    rules_.resume(from.history);
  }

  double weight(Index i) const {
    return problem_.weights().empty() ? 1.0 : problem_.weights()[to_size(i)];
  }

  Report& begin() {
    Report& report = out_.report;
    report.method = o_.method;
    report.rows = problem_.rows();
    report.cols = problem_.cols();
    report.nnz = problem_.A().nonzeros();
    report.right_hand_sides = problem_.right_hand_sides();
    report.matrix = problem_.A().kind();
    report.seed = o_.seed;
    report.threads = team_.size();
    report.simd = simd_target();
    return report;
  }

  bool measures(Index k) const {
    const Index every = std::max<Index>(1, static_cast<Index>(o_.measure_every.value_or(1.0)));
    return k % every == 0;
  }

  std::string limit(Index k) const {
    if (o_.max_iterations && k >= *o_.max_iterations)
      return fmt::format("iteration limit of {} reached", *o_.max_iterations);
    if (o_.max_passes && static_cast<double>(k) >= *o_.max_passes)
      return fmt::format("limit of {:g} passes reached", *o_.max_passes);
    const Seconds& s = out_.report.seconds;
    if (o_.time_limit_s && s.solve + s.measure - earlier_seconds_ >= *o_.time_limit_s)
      return fmt::format("time limit of {:g} s reached", *o_.time_limit_s);
    return {};
  }

  void measure(ConstView x, Index k) {
    Report& report = out_.report;
    timed(report.seconds.measure, [&] {
      products_.full_gradient(x, problem_.b(), {g_.data(), x.rows, x.cols, x.cols}, residual2_);
    });
    Measurement m;
    m.iteration = k;
    m.row_products = report.row_products;
    m.seconds = report.seconds.solve;
    double r2 = 0.0, g2 = 0.0;
    for (double v : residual2_) r2 += v;
    for (double v : g_) g2 += v * v;
    m.residual_norm = std::sqrt(r2);
    m.gradient_norm = std::sqrt(g2);
    if (b2_ > 0.0) m.relative_residual = std::sqrt(r2 / b2_);
    if (problem_.has_reference()) m.error = error(x);
    report.measured_row_products += problem_.rows();
    report.history.push_back(m);
    rules_.measured(m);
  }

  double error(ConstView x) const {
    const ConstView ref = problem_.reference();
    double difference = 0.0, size = 0.0;
    for (Index i = 0; i < x.size(); ++i) {
      difference += std::pow(x.data[i] - ref.data[i], 2);
      size += ref.data[i] * ref.data[i];
    }
    return std::sqrt(difference / size);
  }

  Reconstruction end(Report& report, ConstView x, Status status, const std::string& reason) {
    if (report.history.back().iteration != report.iterations) measure(x, report.iterations);
    const Measurement& m = report.history.back();
    report.status = status;
    report.reason = reason;
    report.passes = static_cast<double>(report.row_products) / static_cast<double>(report.rows);
    report.residual_norm = m.residual_norm;
    report.gradient_norm = m.gradient_norm;
    report.relative_residual = m.relative_residual;
    report.error = m.error;
    report.seconds.total = report.seconds.setup + report.seconds.solve + report.seconds.measure;
    out_.images.assign(x.data, x.data + x.size());
    return std::move(out_);
  }

  const Problem& problem_;
  const ReconstructOptions& o_;
  StopRules& rules_;
  ThreadTeam team_;
  Products products_;
  std::vector<double> g_, residual2_;
  double b2_ = 0.0, earlier_seconds_ = 0.0;
  Reconstruction out_;
};

}  // namespace

Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from) {
  SweepRun run(problem, options, rules);
  if (options.method == "fbp") return run.fbp();
  return run.sweeps(geometry.detectors, options.method == "sart" ? 1 : geometry.views(), from);
}

}  // namespace polyak::tomography
