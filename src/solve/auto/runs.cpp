#include "solve/auto/runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "polyak/ranks.hpp"
#include "solve/report/fields.hpp"
#include "solve/run/driver.hpp"

namespace polyak::internal {
namespace {

// Adds the fields of `earlier` that auto sums over its stages.
template <class Value>
void add_sums(const Value& earlier, Value& sum) {
  if constexpr (HasFields<Value>) {
    Fields<Value>::visit([&](const char*, auto member, auto... roles) {
      if constexpr (has_role<Summed, decltype(roles)...>) add_sums(earlier.*member, sum.*member);
    });
  } else {
    sum += earlier;
  }
}

}  // namespace

void RunTotal::add(Report report) {
  for (Measurement m : report.history) {
    m.iteration += total_.iterations;
    m.row_products += total_.row_products;
    m.seconds += total_.seconds.solve;
    history_.push_back(m);
  }
  for (Look look : report.looks) {
    look.iteration += total_.iterations;
    total_.looks.push_back(look);
  }
  report.looks = std::move(total_.looks);
  add_sums(total_, report);
  report.stages = std::move(total_.stages);
  total_ = std::move(report);
  check_clock();
  if (total_.status == Status::limit && limit_reached()) name_limit();
}

double RunTotal::passes() const {
  return static_cast<double>(total_.row_products) / static_cast<double>(problem_.rows());
}

double RunTotal::all_seconds() const {
  return total_.seconds.setup + total_.seconds.solve + total_.seconds.measure;
}

// The time limit is one of this process: seconds of the one that saved a checkpoint are not
// counted.
double RunTotal::own_seconds() const { return all_seconds() - runs_.earlier_seconds(); }

double RunTotal::remaining_seconds(double time_limit_s) const {
  return std::max(0.0, time_limit_s - own_seconds());
}

SolveOptions RunTotal::remaining(SolveOptions options) const {
  if (options.max_iterations) *options.max_iterations -= total_.iterations;
  if (options.max_passes) *options.max_passes = std::max(0.0, *options.max_passes - passes());
  if (options.time_limit_s) *options.time_limit_s = remaining_seconds(*options.time_limit_s);
  return options;
}

bool RunTotal::limit_reached() const {
  return late_ || ended_by_user_ ||
         (options_.max_iterations && total_.iterations >= *options_.max_iterations) ||
         (options_.max_passes && passes() >= *options_.max_passes);
}

void RunTotal::end_by_user_limit() {
  ended_by_user_ = true;
  name_limit();
}

void RunTotal::name_limit() {
  if (late_) {
    total_.stopped_by = StoppedBy::seconds;
    total_.reason = limit_text::seconds(*options_.time_limit_s);
  } else if (options_.max_iterations && total_.iterations >= *options_.max_iterations) {
    total_.stopped_by = StoppedBy::iterations;
    total_.reason = limit_text::iterations(*options_.max_iterations);
  } else if (options_.max_passes) {
    total_.stopped_by = StoppedBy::passes;
    total_.reason = limit_text::passes(*options_.max_passes);
  }
}

void RunTotal::check_time_limit(const Report& report, const SolveOptions& options) {
  late_ = late_ || (options.time_limit_s && report.stopped_by == StoppedBy::seconds);
}

// All ranks are late as soon as one is.
void RunTotal::check_clock() {
  if (!options_.time_limit_s) return;
  double late = options_.time_spent_s + own_seconds() >= *options_.time_limit_s ? 1.0 : 0.0;
  communicator(problem_.A()).sum({&late, 1});
  late_ = late_ || late > 0.0;
}

Report RunTotal::finish() {
  if (tolerance_met() && total_.status != Status::interrupted &&
      total_.status != Status::converged) {
    total_.status = Status::converged;
    total_.stopped_by = StoppedBy::backward_error;
    total_.reason = fmt::format(
        "the backward error is {:.1e}, the tolerance {:g}; {} could not go on to {:.1e}",
        *total_.backward_error, options_.tol, total_.method, total_.used.tol);
  }
  total_.used.tol = options_.tol;
  total_.asked = options_;
  total_.history = std::move(history_);
  total_.passes = passes();
  total_.seconds.total = all_seconds();
  return std::move(total_);
}

}  // namespace polyak::internal
