#include "solve/run/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polyak::internal {
namespace {

bool has(const Plan& plan, unsigned wanted) {
  const MethodInfo* info = find_method(plan.method);
  return info != nullptr && (info->traits & wanted) != 0;
}

}  // namespace

Guard::Guard(const SolveOptions& options, const Plan& plan)
    : own_momentum_(has(plan, trait::momentum) && options.parameters != "paper" &&
                    !options.momentum && !options.momentum_sequence),
      own_step_(has(plan, trait::step_size) && options.parameters != "paper" &&
                !options.step_size && !options.step_sequence),
      planned_momentum_(plan.used.momentum.value_or(0.0)),
      momentum_(planned_momentum_) {}

bool Guard::can_back_off() const {
  return (own_momentum_ && momentum_ > 0.0) || (own_step_ && halvings_ < max_halvings);
}

// Twice the gap 1 − √beta: half the time constant.
void Guard::back_off() {
  ++times_;
  if (own_momentum_ && momentum_ > 0.0) {
    const double gap = 2.0 * (1.0 - std::sqrt(momentum_));
    momentum_ = gap < 0.7 ? (1.0 - gap) * (1.0 - gap) : 0.0;
  } else {
    ++halvings_;
  }
}

void Guard::apply(Parameters& parameters, Used& used) const {
  if (times_ == 0) return;
  used.predicted_rate.reset();  // it was predicted for other parameters
  used.predicted_rate_kind.reset();
  if (own_momentum_) {
    parameters.momentum = [beta = momentum_](Index) { return beta; };
    used.momentum = momentum_;
  }
  if (halvings_ == 0) return;
  const double factor = std::ldexp(1.0, -halvings_);
  parameters.step_size = [planned = parameters.step_size, factor](Index k) {
    return factor * planned(k);
  };
  if (used.step_size) *used.step_size *= factor;
}

std::string Guard::description() const {
  if (times_ == 0) return {};
  std::string changes;
  if (own_momentum_ && momentum_ != planned_momentum_)
    changes +=
        fmt::format(", with momentum {:.4g} instead of {:.4g}", momentum_, planned_momentum_);
  if (halvings_ > 0) changes += fmt::format(", with 1/{} of the planned step", 1 << halvings_);
  return fmt::format(
      "the run grew and went on from its best x {}{}; a larger {}, or a better {}, would spare "
      "that",
      times_ == 1 ? "once" : fmt::format("{} times", times_), changes, option_name("batch"),
      option_name("lambda-max"));
}

}  // namespace polyak::internal
