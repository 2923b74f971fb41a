#pragma once

// Stopping rules for images, and the run loop of the methods that do not use the driver of the
// library (tv, sirt, sart, fbp): measuring, limits, snapshots and the report.

#include <string>
#include <vector>

#include "core/clock.hpp"
#include "matrix/products.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography::internal {

/// The discrepancy principle and the plateau rule, as an observer that requests a stop. Passes all
/// calls on to the next observer.
class StopRules final : public Observer {
 public:
  StopRules(const ReconstructOptions& options, double weight_sum, Index rays, Observer* next);

  /// Continues a saved run: applies the rules to its history.
  void resume(const std::vector<Measurement>& history);

  void measured(const Measurement& m) override;
  void measured_x(ConstView x) override;
  void progress(Index iteration, Index row_products) override;
  bool stop_requested() override;
  bool snapshot_wanted(bool ending) override;
  void snapshot(Snapshot&& snapshot) override;

  /// True if there is a rule, so that every iteration must be measured.
  bool active() const { return target_ >= 0.0 || plateau_ > 0.0; }
  /// Why the rules stopped the run; empty if they did not.
  const std::string& reason() const { return reason_; }
  /// converged by the discrepancy principle, stagnated by the plateau rule.
  Status status() const { return status_; }

 private:
  void apply_rules(const Measurement& m);
  void apply_plateau_rule(const Measurement& m);

  double target_ = -1.0, plateau_ = 0.0, rays_;  // target_ < 0: no target
  Observer* next_;
  std::vector<Measurement> history_;
  std::string reason_;
  Status status_ = Status::converged;
};

class ImageRun {
 public:
  ImageRun(const Problem& problem, const ReconstructOptions& options, StopRules& rules);

  const Problem& problem() const { return problem_; }
  const ReconstructOptions& options() const { return o_; }
  StopRules& rules() { return rules_; }
  polyak::internal::Products& products() { return products_; }
  polyak::internal::ThreadTeam& team() { return team_; }
  Report& report() { return out_.report; }
  Reconstruction& result() { return out_; }

  /// Runs and counts an iteration that uses every ray once.
  template <class Step>
  void iterate(Step step) {
    Report& report = out_.report;
    polyak::internal::timed(report.seconds.solve, step);
    report.row_products = ++report.iterations * problem_.rows();
    rules_.progress(report.iterations, report.row_products);
  }

  /// Adds a line for x (slices × pixels) to the history.
  void measure(ConstView x);
  bool measures_now() const;

  /// The vectors for a snapshot, x first.
  using Vectors = std::function<std::vector<std::vector<double>>()>;
  /// True if the run must end before the next iteration, by a limit or by a request. Saves a
  /// snapshot when one is requested.
  bool must_end(const Vectors& vectors);
  /// Continues from a saved state; the caller restores the vectors.
  void resume(const RunState& from);

  /// The result after must_end() returned true.
  Reconstruction end_early(ConstView x);
  Reconstruction end(ConstView x, Status status, const std::string& reason);

 private:
  std::string limit() const;
  void save(const Vectors& vectors);
  double error(ConstView x) const;

  const Problem& problem_;
  const ReconstructOptions& o_;
  StopRules& rules_;
  polyak::internal::ThreadTeam team_;
  polyak::internal::Products products_;
  std::vector<double> g_, residual2_;
  double b2_ = 0.0, earlier_seconds_ = 0.0;
  std::string limit_reason_;  // the limit that was reached, or empty
  Reconstruction out_;
};

}  // namespace polyak::tomography::internal
