#pragma once

// What all ways to an image share that do not go through the library's driver:
// measuring, limits, snapshots and the report.
//
// When an image is good enough: the discrepancy principle and the plateau, told
// to the driver as a wish to stop.

#include <string>
#include <vector>

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography {

class StopRules final : public Observer {
 public:
  StopRules(const ReconstructOptions& options, double weight_sum, Index rays, Observer* next);

  /// Goes on where a run was saved: what it had measured counts.
  void resume(const std::vector<Measurement>& history);

  void measured(const Measurement& m) override;
  void measured_x(ConstView x) override;
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override;
  bool snapshot_wanted(bool ending) override;
  void snapshot(Snapshot&& snapshot) override;

  /// Any rule at all, so that measuring is worth its price.
  bool active() const { return target_ >= 0.0 || plateau_ > 0.0; }
  /// Why it stopped; empty if it was not these rules.
  const std::string& reason() const { return reason_; }
  /// converged where the residual is down to the noise, stagnated at a plateau.
  Status status() const { return status_; }

 private:
  void judge(const Measurement& m);
  void judge_plateau(const Measurement& m);

  double target_ = -1.0, plateau_ = 0.0, rays_;  // no target: below 0
  Observer* next_;
  std::vector<Measurement> seen_;
  std::string reason_;
  Status status_ = Status::converged;
};

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
