#include "record.hpp"

#include <algorithm>

#include "polyak/simd.hpp"

namespace polyak::python {
namespace {

// x0 within the bounds.
std::vector<double> start_of(const Problem& problem) {
  const ConstView x0 = problem.x0();
  std::vector<double> out(x0.data, x0.data + x0.size());
  for (std::size_t i = 0; problem.has_bounds() && i < out.size(); ++i) {
    const std::size_t j = i % to_size(problem.cols());
    out[i] = std::clamp(out[i], problem.lower()[j], problem.upper()[j]);
  }
  return out;
}

}  // namespace

void RunRecord::measured_x(ConstView x) {
  vectors_ = x.rows;
  latest_.clear();
  for (Index c = 0; c < x.rows; ++c) latest_.insert(latest_.end(), x.row(c), x.row(c) + x.cols);
}

// The iterations of a method of auto follow those of the methods before it.
void RunRecord::measured(Measurement line) {
  if (!history_.empty() && line.iteration + previous_.iteration < history_.back().iteration)
    previous_ = history_.back();
  line.iteration += previous_.iteration;
  line.row_products += previous_.row_products;
  line.seconds += previous_.seconds;
  history_.push_back(line);
  now_ = {line.iteration, line.row_products, line.residual_norm};
  if (!best_.empty() && line.residual_norm > history_[best_line_].residual_norm) return;
  best_ = latest_;
  best_line_ = history_.size() - 1;
}

void RunRecord::progress(Index iteration, Index row_products) {
  now_.iteration = previous_.iteration + iteration;
  now_.row_products = previous_.row_products + row_products;
}

Report RunRecord::report(const Problem& problem, const SolveOptions& options) const {
  Report out;
  out.status = Status::interrupted;
  out.stopped_by = StoppedBy::request;
  out.reason =
      "stopped on request in the middle of a long step; x is " +
      (best_.empty() ? std::string("the start")
                     : "that of iteration " + std::to_string(history_[best_line_].iteration));
  out.method = options.method;
  out.asked = options;
  out.used.tol = options.tol;
  out.seed = options.seed;
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind();
  out.simd = simd_target();
  out.history = history_;
  const Index d = problem.cols(), c = problem.right_hand_sides();
  const std::vector<double> x = best_.empty() ? start_of(problem) : best_;
  out.x = transposed({x.data(), c, d, d});
  if (history_.empty()) return out;
  const Measurement& line = history_[best_line_];
  out.iterations = history_.back().iteration;
  out.row_products = history_.back().row_products;
  out.seconds.solve = history_.back().seconds;
  out.residual_norm = line.residual_norm;
  out.gradient_norm = line.gradient_norm;
  out.relative_residual = line.relative_residual;
  out.relative_gradient = line.relative_gradient;
  out.error = line.error;
  return out;
}

}  // namespace polyak::python
