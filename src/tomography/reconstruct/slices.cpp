#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tomography/reconstruct/runs.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

double squares(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v * v;
  return sum;
}

template <class Value>
void append(std::vector<Value>& all, const std::vector<Value>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// From good to bad; the report of the stack has the worst status.
int severity(Status status) {
  switch (status) {
    case Status::converged: return 0;
    case Status::stagnated: return 1;
    case Status::limit: return 2;
    case Status::interrupted: return 3;
    default: return 4;
  }
}

void add_seconds(Seconds& all, const Seconds& more) {
  all.setup += more.setup, all.norms += more.norms, all.table += more.table;
  all.spectrum += more.spectrum, all.solve += more.solve, all.measure += more.measure;
  all.total += more.total;
}

void add_report(Report& all, const Report& more) {
  if (severity(more.status) > severity(all.status))
    all.status = more.status, all.reason = more.reason;
  all.iterations = std::max(all.iterations, more.iterations);
  all.row_products += more.row_products;
  all.measured_row_products += more.measured_row_products;
  all.passes += more.passes;
  all.bytes_read += more.bytes_read;
  all.right_hand_sides += more.right_hand_sides;
  add_seconds(all.seconds, more.seconds);
  for (const std::string& warning : more.warnings)
    if (std::find(all.warnings.begin(), all.warnings.end(), warning) == all.warnings.end())
      all.warnings.push_back(warning);
}

}  // namespace

double bytes_per_slice(const Geometry& g) {
  constexpr double vectors = 64 + 8, per_ray = 6;
  return 8.0 *
         (vectors * static_cast<double>(g.image.size()) + per_ray * static_cast<double>(g.rays()));
}

std::vector<SliceGroup> slice_groups(const Geometry& g, Index slices, double memory_bytes) {
  const double fit = std::clamp(memory_bytes / bytes_per_slice(g), 1.0, 1e9);
  const Index per_group = static_cast<Index>(fit), groups = (slices + per_group - 1) / per_group;
  std::vector<SliceGroup> out;
  for (Index k = 0; k < groups; ++k)
    out.push_back({k * slices / groups, (k + 1) * slices / groups, slices});
  return out;
}

std::vector<double> part_of(const std::vector<double>& stack, const SliceGroup& group) {
  const Index each = std::ssize(stack) / group.size;
  return {stack.begin() + group.first * each, stack.begin() + group.last * each};
}

std::vector<double> transposed(const std::vector<double>& in, Index rows) {
  const Index cols = std::ssize(in) / rows;
  std::vector<double> out(in.size());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out[to_size(j * rows + i)] = in[to_size(i * cols + j)];
  return out;
}

void StackResult::add(Reconstruction group, const std::vector<double>& data,
                      const std::vector<double>& reference) {
  const Measurement& start = group.report.history.front();
  const double relative = start.relative_residual.value_or(0.0);
  parts_.push_back({group.report.history,
                    relative > 0.0 ? std::pow(start.residual_norm / relative, 2) : squares(data),
                    squares(reference)});
  if (parts_.size() == 1) {
    all_ = std::move(group);
    return;
  }
  append(all_.images, group.images);
  append(all_.residual, group.residual);
  add_report(all_.report, group.report);
}

Measurement StackResult::line(std::size_t k) const {
  Measurement out;
  double r2 = 0.0, g2 = 0.0, error2 = 0.0, data2 = 0.0, reference2 = 0.0;
  for (const Part& part : parts_) {
    const Measurement& m = part.history[std::min(k, part.history.size() - 1)];
    out.iteration = std::max(out.iteration, m.iteration);
    out.row_products += m.row_products;
    out.seconds += m.seconds;
    r2 += m.residual_norm * m.residual_norm;
    g2 += m.gradient_norm * m.gradient_norm;
    data2 += part.data2;
    if (m.error) error2 += *m.error * *m.error * part.reference2, reference2 += part.reference2;
  }
  out.residual_norm = std::sqrt(r2);
  out.gradient_norm = std::sqrt(g2);
  if (data2 > 0.0) out.relative_residual = std::sqrt(r2 / data2);
  if (reference2 > 0.0) out.error = std::sqrt(error2 / reference2);
  return out;
}

Reconstruction StackResult::take() {
  Report& report = all_.report;
  all_.groups = std::ssize(parts_);
  if (parts_.size() == 1) return std::move(all_);
  const auto shorter = [](const Part& a, const Part& b) {
    return a.history.size() < b.history.size();
  };
  const auto longest = std::max_element(parts_.begin(), parts_.end(), shorter);
  report.history.clear();
  for (std::size_t k = 0; k < longest->history.size(); ++k) report.history.push_back(line(k));
  const Measurement last = report.history.back();
  report.residual_norm = last.residual_norm;
  report.gradient_norm = last.gradient_norm;
  report.relative_residual = last.relative_residual;
  report.relative_gradient.reset();
  report.error = last.error;
  report.reason = fmt::format("{} groups of slices; {}", parts_.size(), report.reason);
  return std::move(all_);
}

}  // namespace polyak::tomography::internal
