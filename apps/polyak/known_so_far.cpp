#include "known_so_far.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "polyak/simd.hpp"

namespace polyak::cli {
namespace {

std::vector<double> start_of(const Problem& problem) {
  const ConstView x0 = problem.x0();
  std::vector<double> out(x0.data, x0.data + x0.size());
  for (std::size_t i = 0; problem.has_bounds() && i < out.size(); ++i) {
    const std::size_t j = i % static_cast<std::size_t>(problem.cols());
    out[i] = std::clamp(out[i], problem.lower()[j], problem.upper()[j]);
  }
  return out;
}

void tell_sizes(const Problem& problem, Report& out) {
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind();
  out.simd = simd_target();
}

void tell_line(const Measurement& line, Report& out) {
  out.residual_norm = line.residual_norm;
  out.gradient_norm = line.gradient_norm;
  out.relative_residual = line.relative_residual;
  out.relative_gradient = line.relative_gradient;
  out.error = line.error;
  out.certified = "full";
}

}  // namespace

void KnownSoFar::measured_x(ConstView x) {
  const std::lock_guard lock(turn_);
  next_x_.assign(x.data, x.data + x.size());
  inner_.measured_x(x);
}

void KnownSoFar::measured(const Measurement& m) {
  const std::lock_guard lock(turn_);
  keep(m);
  inner_.measured(m);
}

// Where noise has the last word residuals differ in their last digits only, and the later x is
// the better one.
void KnownSoFar::keep(Measurement line) {
  constexpr double alike = 1e-6;
  if (!history_.empty() && line.iteration + before_.iteration < history_.back().iteration)
    before_ = history_.back();  // auto has gone on to another method
  line.iteration += before_.iteration;
  line.row_products += before_.row_products;
  line.seconds += before_.seconds;
  history_.push_back(line);
  if (next_x_.empty()) return;
  if (which_ == Keep::least_residual && !x_.empty() &&
      line.residual_norm > (1.0 + alike) * history_[best_].residual_norm)
    return;
  x_.swap(next_x_);
  best_ = history_.size() - 1;
}

void KnownSoFar::progress(Index iteration, Index row_products) {
  const std::lock_guard lock(turn_);
  inner_.progress(iteration, row_products);
}

bool KnownSoFar::stop_requested() { return inner_.stop_requested(); }

bool KnownSoFar::snapshot_wanted(bool ending) {
  const std::lock_guard lock(turn_);
  return inner_.snapshot_wanted(ending);
}

void KnownSoFar::snapshot(Snapshot&& snapshot) {
  const std::lock_guard lock(turn_);
  inner_.snapshot(std::move(snapshot));
}

Report KnownSoFar::report(Status status, std::optional<double> limit_s) const {
  Report out;
  out.status = status;
  out.reason = status == Status::limit ? fmt::format("time limit of {:g} s reached", *limit_s)
                                       : "stopped on request";
  out.reason += " in the middle of a long step; ";
  out.reason += x_.empty() ? "nothing was measured before, and x is the start"
                           : fmt::format("x is that of iteration {}, which was measured before",
                                         history_[best_].iteration);
  out.history = history_;
  if (history_.empty()) return out;
  out.iterations = history_.back().iteration;
  out.row_products = history_.back().row_products;
  out.seconds.solve = history_.back().seconds;
  if (!x_.empty()) tell_line(history_[best_], out);
  return out;
}

Report report_so_far(const KnownSoFar& known, const Problem& problem, const SolveOptions& options,
                     Status status) {
  Report out = known.report(status, options.time_limit_s);
  out.method = options.method;
  out.asked = options;
  out.used.tol = options.tol;
  out.seed = options.seed;
  tell_sizes(problem, out);
  if (out.rows > 0)
    out.passes = static_cast<double>(out.row_products) / static_cast<double>(out.rows);
  const Index d = problem.cols(), c = problem.right_hand_sides();
  const std::vector<double> x = known.measured_any() ? known.x() : start_of(problem);
  out.x = transposed({x.data(), c, d, d});
  return out;
}

}  // namespace polyak::cli
