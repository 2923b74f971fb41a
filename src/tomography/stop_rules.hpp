#pragma once

// When an image is good enough: the discrepancy principle and the plateau, told
// to the driver as a wish to stop.

#include <string>
#include <vector>

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

}  // namespace polyak::tomography
