#pragma once

// What all ways to an image share that do not go through the library's driver:
// measuring, limits, snapshots and the report.

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "tomography/stop_rules.hpp"

namespace polyak::tomography {

class ImageRun {
 public:
  ImageRun(const Problem& problem, const ReconstructOptions& options, StopRules& rules);

  const Problem& problem() const { return problem_; }
  const ReconstructOptions& options() const { return o_; }
  StopRules& rules() { return rules_; }
  Products& products() { return products_; }
  ThreadTeam& team() { return team_; }
  Report& report() { return out_.report; }
  Reconstruction& result() { return out_; }

  /// An iteration that used every ray.
  template <class Step>
  void iterate(Step step) {
    Report& report = out_.report;
    timed(report.seconds.solve, step);
    report.row_products = ++report.iterations * problem_.rows();
    rules_.progress(report.iterations, report.row_products);
  }

  /// A line of the history about x, slices × pixels.
  void measure(ConstView x);
  bool measures_now() const;

  /// Why the run has to end before the next iteration, or nothing. What is saved
  /// then, and whenever a snapshot is wanted, are these vectors, x first.
  using Vectors = std::function<std::vector<std::vector<double>>()>;
  bool must_end(const Vectors& vectors);
  /// Goes on from there, the vectors apart.
  void resume(const RunState& from);

  /// The result when it ends by a limit or on request, as must_end said.
  Reconstruction cut_off(ConstView x);
  Reconstruction end(ConstView x, Status status, const std::string& reason);

 private:
  std::string limit() const;
  void save(const Vectors& vectors);
  double error(ConstView x) const;

  const Problem& problem_;
  const ReconstructOptions& o_;
  StopRules& rules_;
  ThreadTeam team_;
  Products products_;
  std::vector<double> g_, residual2_;
  double b2_ = 0.0, earlier_seconds_ = 0.0;
  std::string why_;  // the limit that was reached
  Reconstruction out_;
};

}  // namespace polyak::tomography
