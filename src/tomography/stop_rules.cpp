#include "tomography/stop_rules.hpp"

#include <fmt/format.h>

#include <cmath>

namespace polyak::tomography {

StopRules::StopRules(const ReconstructOptions& options, double weight_sum, Index rays,
                     Observer* next)
    : plateau_(options.plateau.value_or(0.0)), rays_(static_cast<double>(rays)), next_(next) {
  if (options.noise) target_ = options.tau * *options.noise * std::sqrt(weight_sum);
}

void StopRules::resume(const std::vector<Measurement>& history) {
  for (const Measurement& m : history) judge(m);
}

void StopRules::measured(const Measurement& m) {
  if (next_) next_->measured(m);
  judge(m);
}

void StopRules::measured_x(ConstView x) {
  if (next_) next_->measured_x(x);
}

void StopRules::judge(const Measurement& m) {
  if (target_ >= 0.0 && m.residual_norm <= target_ && m.iteration > 0 && reason_.empty()) {
    reason_ = fmt::format("discrepancy principle: the residual {:.4g} is down to the noise, {:.4g}",
                          m.residual_norm, target_);
  }
  if (plateau_ > 0.0 && reason_.empty()) judge_plateau(m);
  seen_.push_back(m);
}

// Against the latest measurement that is at least a pass old; twice, so that
// one swing of the momentum does not count.
void StopRules::judge_plateau(const Measurement& m) {
  const double now = static_cast<double>(m.row_products);
  const Measurement *one = nullptr, *two = nullptr;
  for (const Measurement& old : seen_) {
    const double age = (now - static_cast<double>(old.row_products)) / rays_;
    if (age >= 1.0 - 1e-9) one = &old;
    if (age >= 2.0 - 1e-9) two = &old;
  }
  if (!one || !two || two->row_products == 0) return;
  const auto flat = [&](double before, double after, double passes) {
    return before - after < plateau_ * passes * before;
  };
  const double passes = (now - static_cast<double>(one->row_products)) / rays_;
  if (flat(one->residual_norm, m.residual_norm, passes) &&
      flat(two->residual_norm, one->residual_norm, 1.0)) {
    status_ = Status::stagnated;
    reason_ = fmt::format(
        "plateau: the residual {:.4g} falls by less than {:g} of itself in a pass, which a slow "
        "method does far from its limit too",
        m.residual_norm, plateau_);
  }
}

void StopRules::progress(Index iteration, Index row_products) {
  if (next_) next_->progress(iteration, row_products);
}

// One that these rules end has come to its end; there is nothing to go on with.
bool StopRules::snapshot_wanted(bool ending) {
  return next_ && reason_.empty() && next_->snapshot_wanted(ending);
}

void StopRules::snapshot(Snapshot&& snapshot) {
  if (next_) next_->snapshot(std::move(snapshot));
}

bool StopRules::stop_requested() { return !reason_.empty() || (next_ && next_->stop_requested()); }

}  // namespace polyak::tomography
