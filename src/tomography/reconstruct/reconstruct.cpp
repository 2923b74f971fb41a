#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "solve/auto/runs.hpp"
#include "tomography/projectors/ray_maker.hpp"
#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

// A, and the rays that meet no pixel.
struct Rays {
  MatrixPtr A;
  std::vector<Index> entries;  // number of entries of each ray
  Index unseen = 0;

  Rays(const Geometry& g, const ReconstructOptions& o) {
    const int threads = static_cast<int>(o.threads);
    const RayMaker maker(g, ray_model_named(o.projector));
    entries = entry_counts(maker, threads);
    unseen = std::count(entries.begin(), entries.end(), 0);
    A = o.stored ? system_matrix(maker, entries, threads) : projector(maker, {}, entries);
  }
};

// A ray that meets no pixel has no information about the image. Its value is set to 0, so that its
// residual is 0.
struct Unseen {
  Index rays = 0;      // how many had a nonzero value in at least one slice
  bool large = false;  // their root mean square is at least 5 % of that of the others
};
Unseen leave_out_unseen(const Rays& rays, std::vector<double>& sinograms) {
  const std::size_t n = rays.entries.size();
  std::vector<char> had(n, 0);
  double unseen2 = 0.0, all2 = 0.0;
  for (std::size_t k = 0; k < sinograms.size(); ++k) {
    double& value = sinograms[k];
    all2 += value * value;
    if (rays.entries[k % n] > 0 || value == 0.0) continue;
    had[k % n] = 1;
    unseen2 += value * value;
    value = 0.0;
  }
  const double seen = static_cast<double>(n) - static_cast<double>(rays.unseen);
  const double ratio2 = unseen2 * seen / ((all2 - unseen2) * static_cast<double>(rays.unseen));
  return {std::count(had.begin(), had.end(), 1), ratio2 >= 0.05 * 0.05};
}

// The sum of the weights of the rays that meet the image; the discrepancy principle needs it.
double weight_sum(const Rays& rays, const std::vector<double>& weights) {
  double sum = 0.0;
  for (std::size_t r = 0; r < rays.entries.size(); ++r)
    if (rays.entries[r] > 0) sum += weights.empty() ? 1.0 : weights[r];
  return sum;
}

std::vector<double> start_image(const Geometry& g, const std::vector<double>& sinograms,
                                const ReconstructOptions& o) {
  auto start = filtered_back_projection(g, sinograms, o.filter, static_cast<int>(o.threads));
  for (double& v : start)
    v = std::min(std::max(v, o.lower.value_or(-1e300)), o.upper.value_or(1e300));
  return start;
}

// `measured` is used by filtered back projection, `sinograms` is the right-hand side.
ProblemData problem_data(const Geometry& g, const MatrixPtr& A, const std::vector<double>& measured,
                         const std::vector<double>& sinograms, const ReconstructOptions& o,
                         const std::vector<double>& reference) {
  const Index slices = std::ssize(sinograms) / g.rays(), d = g.image.size();
  ProblemData data;
  data.A = A;
  data.b = Array(transposed(sinograms, slices), g.rays(), slices);
  data.weights = o.weights;
  data.ridge = o.ridge;
  if (o.lower) data.lower = {*o.lower};
  if (o.upper) data.upper = {*o.upper};
  if (!reference.empty()) data.reference = Array(transposed(reference, slices), d, slices);
  if (o.start == "fbp" || o.method == "fbp")
    data.x0 = Array(transposed(start_image(g, measured, o), slices), d, slices);
  return data;
}

// A·x − b for every slice.
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

Reconstruction run(const std::shared_ptr<const Problem>& problem, const Geometry& g,
                   const ReconstructOptions& options, StopRules& rules, const RunState* from) {
  Reconstruction out = options.method == "tv" ? run_tv(*problem, g, options, rules, from)
                       : is_sweep(options.method) || options.method == "fbp"
                           ? run_sweeps(*problem, g, options, rules, from)
                           : run_solver(problem, options, rules, from);
  if (rules.reason().empty()) return out;
  out.report.status = rules.status();
  out.report.reason = rules.reason();
  return out;
}

// Passes on requests to stop, and nothing else: the run that estimates the noise is not reported.
class StopRequests final : public Observer {
 public:
  explicit StopRequests(Observer& next) : next_(next) {}
  bool stop_requested() override { return next_.stop_requested(); }

 private:
  Observer& next_;
};

// The root mean square of the prediction errors of held-out rays over the slices, each slice by
// itself.
double estimated_noise(const Problem& all, const Geometry& g, ReconstructOptions options,
                       Runs& runs) {
  options.method = "tv", options.start = "zero";
  options.noise.reset(), options.max_passes.reset(), options.on_image = {};
  StopRequests stops(runs);
  double sum2 = 0.0;
  for (Index c = 0; c < all.right_hand_sides(); ++c) {
    std::vector<double> sinogram;
    for (Index r = 0; r < all.rows(); ++r) sinogram.push_back(all.b()(r, c));
    const Problem one(problem_data(g, all.matrix(), sinogram, sinogram, options, {}));
    StopRules none(options, 0.0, all.rows(), &stops);
    sum2 += std::pow(held_out_error(one, g, options, none), 2);
  }
  return std::sqrt(sum2 / static_cast<double>(all.right_hand_sides()));
}

// True if no option says when the run ends.
bool needs_a_stop(const ReconstructOptions& o) {
  return o.method != "tv" && o.method != "fbp" && !o.noise && !o.plateau && !o.max_passes &&
         !o.max_iterations && !o.time_limit_s;
}

// A group that was finished in the snapshot is not run again: its images are the x of its report.
Reconstruction run_or_restore(const std::shared_ptr<const Problem>& problem, const Geometry& g,
                              const ReconstructOptions& asked, double weights, Runs& runs) {
  if (const Report* known = runs.known()) {
    const ConstView x = known->x.view();
    Reconstruction out;
    out.report = *known;
    out.images.assign(x.data, x.data + x.size());
    return out;
  }
  ReconstructOptions options = asked;
  const double start = now_s();
  if (needs_a_stop(asked))
    options.noise = estimated_noise(*problem, g, asked, runs), options.max_passes = 1000.0;
  const double estimating = now_s() - start;
  StopRules rules(options, weights, problem->rows(), &runs);
  Reconstruction out = run(problem, g, options, rules, runs.from());
  if (needs_a_stop(asked)) out.noise = options.noise;
  out.report.seconds.setup += estimating;
  out.report.seconds.total += estimating;
  Report done = out.report;
  done.x = Array(out.images, std::ssize(out.images));
  runs.finished(done);
  return out;
}

// Solves a group of slices; `measured` and `reference` are those of the group.
Reconstruction solve_group(const Geometry& g, const Rays& rays, const std::vector<double>& measured,
                           const ReconstructOptions& options, Runs& runs,
                           const std::vector<double>& reference) {
  auto sinograms = measured;
  const Unseen left_out = leave_out_unseen(rays, sinograms);
  const auto problem = std::make_shared<const Problem>(
      problem_data(g, rays.A, measured, sinograms, options, reference));
  Reconstruction out = run_or_restore(problem, g, options, weight_sum(rays, options.weights), runs);
  out.report.zero_rows = rays.unseen;
  out.unseen_with_data = left_out.rays;
  if (left_out.large)
    out.report.warnings.push_back(
        "rays that meet no pixel hold more than noise: they are left out, but the "
        "geometry may be wrong, or the image too small");
  out.residual = residual_of(*problem, out.images, static_cast<int>(options.threads));
  return out;
}

// The options of a group: the time already used, and on_image with the number of its first slice.
ReconstructOptions options_for(const SliceGroup& group, const ReconstructOptions& options,
                               double seconds_spent) {
  ReconstructOptions out = options;
  out.time_spent_s += seconds_spent;
  if (options.on_image)
    out.on_image = [&options, first = group.first](Index k, const std::vector<double>& images,
                                                   Index) { options.on_image(k, images, first); };
  return out;
}

// Passes the measured images of a group on as the whole stack, with 0 for slices not measured yet.
class StackObserver final : public Observer {
 public:
  StackObserver(Observer* next, Index slices, Index pixels)
      : next_(next ? *next : no_observer_), pixels_(pixels), all_(to_size(slices * pixels)) {}

  void begin_group(Index first_slice) { first_ = first_slice; }

  void measured(const Measurement& m) override { next_.measured(m); }
  void measured_x(ConstView x) override {
    std::copy(x.data, x.data + x.size(), all_.data() + first_ * pixels_);
    next_.measured_x({all_.data(), std::ssize(all_) / pixels_, pixels_, pixels_});
  }
  void progress(Index k, Index rays) override { next_.progress(k, rays); }
  bool stop_requested() override { return next_.stop_requested(); }
  bool snapshot_wanted(bool ending) override { return next_.snapshot_wanted(ending); }
  void snapshot(Snapshot&& snapshot) override { next_.snapshot(std::move(snapshot)); }

 private:
  Observer no_observer_;
  Observer& next_;
  Index pixels_, first_ = 0;
  std::vector<double> all_;
};

Reconstruction solve_stack(const Geometry& g, const Rays& rays,
                           const std::vector<double>& sinograms, const ReconstructOptions& options,
                           StackObserver& stack_observer, Runs& runs,
                           const std::vector<double>& reference, double start) {
  StackResult all;
  Index unseen_with_data = 0;
  const Index slices = std::ssize(sinograms) / g.rays();
  const double memory =
      options.method == "tv" ? 1.0 : options.memory_bytes;  // tv: one slice at a time
  for (const SliceGroup& group : slice_groups(g, slices, memory)) {
    const auto measured = part_of(sinograms, group), known = part_of(reference, group);
    stack_observer.begin_group(group.first);
    Reconstruction part =
        solve_group(g, rays, measured, options_for(group, options, now_s() - start), runs, known);
    const double spent = options.time_spent_s + now_s() - start;
    const bool late = options.time_limit_s && spent >= *options.time_limit_s;
    if (late || part.report.status == Status::interrupted) runs.stop_saving();
    unseen_with_data = std::max(unseen_with_data, part.unseen_with_data);
    all.add(std::move(part), measured, known);
  }
  Reconstruction out = all.take();
  out.unseen_with_data = unseen_with_data;
  return out;
}

}  // namespace

Reconstruction reconstruct(const Geometry& geometry, const std::vector<double>& sinograms,
                           const ReconstructOptions& asked, Observer* observer,
                           const std::vector<double>& reference, const Snapshot* from) {
  const double start = now_s();
  ReconstructOptions options = asked;
  if (options.method == "kaczmarz") options.method = "rk";
  if (options.method == "auto")
    options.method = has_sampling_option(options) ? "minibatch-hbm" : "tv";
  check(geometry);
  check_options(options);
  check_data(geometry, sinograms);
  const Rays rays(geometry, options);
  const Index slices = std::ssize(sinograms) / geometry.rays();
  StackObserver stack_observer(observer, slices, geometry.image.size());
  Runs runs(&stack_observer, from);
  Reconstruction out =
      solve_stack(geometry, rays, sinograms, options, stack_observer, runs, reference, start);
  out.report.x = Array(transposed(out.images, slices), geometry.image.size(), slices);
  return out;
}

}  // namespace polyak::tomography
