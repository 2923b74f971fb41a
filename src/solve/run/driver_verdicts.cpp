// The stop rules: when a run ends, and the sentence about it in the report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/run/driver.hpp"

namespace polyak::internal {

std::string limit_text::seconds(double limit) {
  return fmt::format("time limit of {:g} s reached", limit);
}
std::string limit_text::iterations(Index limit) {
  return fmt::format("iteration limit of {} reached", limit);
}
std::string limit_text::passes(double limit) {
  return fmt::format("limit of {:g} passes reached", limit);
}

namespace {

bool starts_at_zero(const Problem& problem) {
  const ConstView x0 = problem.x0();
  return std::all_of(x0.data, x0.data + x0.size(), [](double v) { return v == 0.0; });
}

}  // namespace

double Driver::max_residual() const {
  if (options_.stop_rule) return options_.stop_rule->max_residual * setup_.facts().scale.b;
  return divergence_factor * std::max(run_.first_residual, 1e-300);
}

std::optional<Driver::Verdict> Driver::judge_mathematics() const {
  const Used& used = used_;
  if (!last_.finite && run_.history.empty())
    return Verdict{
        Status::diverged, StoppedBy::overflow,
        fmt::format("the residual at the start overflows; give {}",
                    starts_at_zero(setup_.problem()) ? std::string("b in larger units")
                                                     : "a smaller " + option_name("x0"))};
  if (!last_.finite && !used.step_size)
    return Verdict{Status::diverged, StoppedBy::overflow,
                   "the numbers of x or of its residual are larger than any double; give A or b in "
                   "other units"};
  if (!last_.finite || last_.residual > max_residual()) {
    const std::string grew = last_.finite ? fmt::format("the residual grew {:.0e}-fold",
                                                        last_.residual / run_.first_residual)
                                          : "the iterates overflowed";
    const std::string advice =
        used.batch && *used.batch > 1
            ? fmt::format(
                  "the batch is too small for this step and momentum: try a larger {}, or a "
                  "smaller {}",
                  option_name("batch"), option_name("step-size"))
            : fmt::format("the step is too large: try a smaller {}, or check {}",
                          option_name("step-size"), option_name("lambda-max"));
    return Verdict{Status::diverged, last_.finite ? StoppedBy::growth : StoppedBy::overflow,
                   fmt::format("{} by iteration {}; {}", grew, method_->iteration(), advice)};
  }
  const StoppedBy tolerance = last_.by_residual ? StoppedBy::residual : StoppedBy::gradient;
  if (last_.distance <= 1.0 && options_.stop_rule)
    return Verdict{Status::converged, tolerance,
                   last_.by_residual ? fmt::format("|r| <= {:g}", options_.stop_rule->residual)
                                     : "|A'r| is small beside |A||r|"};
  if (last_.distance <= 1.0) {
    return Verdict{Status::converged, tolerance,
                   last_.by_residual
                       ? fmt::format("|r| <= {:g}(sum |a_j||x_j| + |b|)", options_.tol)
                       : fmt::format("|a_j'r| <= {:g}|a_j||r| for every column", options_.tol)};
  }
  if (method_->finished() && options_.only_resolved &&
      !std::isfinite(method_->condition().value_or(1.0)))
    return Verdict{Status::stagnated, StoppedBy::unresolved,
                   "A'A does not resolve A; a method that factors A itself can"};
  if (method_->finished()) {
    return Verdict{
        Status::stagnated, StoppedBy::method_end,
        fmt::format("{} has come to its end: the largest |a_j'r|/(|a_j||r|) is {:.1e}, the "
                    "tolerance {:g} is below what rounding allows here",
                    setup_.plan().method, last_.line.relative_gradient.value_or(0), options_.tol)};
  }
  if (ends_by_itself() && plateau_.reached()) return horizon();
  return judge_extrapolation();
}

// Extrapolated: ‖Aᵀr‖ or ‖r‖ falls to the tolerance as fast as ‖Aᵀr‖ has fallen so far.
std::optional<Driver::Verdict> Driver::judge_extrapolation() const {
  if (!options_.max_expected_iterations || run_.history.size() < 2) return std::nullopt;
  const Measurement &first = run_.history.front(), &now = run_.history.back();
  const double k = static_cast<double>(now.iteration);
  const double each = std::log(first.gradient_norm / now.gradient_norm) / k;
  const double left =
      std::log(std::min(now.relative_gradient.value_or(1.0), now.relative_residual.value_or(1.0)) /
               options_.tol);
  const double expected = each > 0.0 ? k + left / each : std::numeric_limits<double>::infinity();
  if (expected <= *options_.max_expected_iterations) return std::nullopt;
  return Verdict{Status::stagnated, StoppedBy::extrapolation,
                 fmt::format("after {} iterations |A'r| falls so slowly that about {:.3g} would be "
                             "needed, more than the {:.3g} allowed",
                             now.iteration, expected, *options_.max_expected_iterations)};
}

Driver::Verdict Driver::horizon() const {
  const Used& used = used_;
  const double level = last_.line.relative_gradient.value_or(0.0);
  if (!find_method(setup_.plan().method)->sampled) {
    const std::string others = setup_.plan().method == "lsqr" ? "direct" : "direct or lsqr";
    // auto tries these by itself.
    const std::string advice =
        options_.only_resolved ? "" : "; try " + option_name("method", others);
    return {
        Status::stagnated, StoppedBy::plateau,
        fmt::format("the largest |a_j'r|/(|a_j||r|) stopped falling at {:.1e}: slow convergence "
                    "or rounding{}",
                    level, advice)};
  }
  return {Status::stagnated, StoppedBy::plateau,
          fmt::format("convergence horizon: the data are inconsistent and the largest "
                      "|a_j'r|/(|a_j||r|) stopped falling at {:.1e}, where the noise of batches of "
                      "{} holds it; a larger {} lowers it as 1/sqrt(batch), {} passes it",
                      level, used.batch.value_or(1), option_name("batch"),
                      option_name("method", "lsqr or direct"))};
}

std::optional<Driver::Verdict> Driver::judge_limits(Observer& observer) const {
  const Requests asked = requests(observer);
  if (asked.stop)
    return Verdict{Status::interrupted, StoppedBy::request,
                   "stopped on request; the best x so far is kept"};
  if (asked.late)
    return Verdict{Status::limit, StoppedBy::seconds, limit_text::seconds(*options_.time_limit_s)};
  const Index k = method_->iteration();
  if (k < last_iteration()) return std::nullopt;
  if (options_.max_iterations && k >= *options_.max_iterations)
    return Verdict{Status::limit, StoppedBy::iterations,
                   limit_text::iterations(*options_.max_iterations)};
  const double n = static_cast<double>(setup_.problem().rows());
  return Verdict{Status::limit, StoppedBy::passes,
                 limit_text::passes(options_.max_passes.value_or(std::max(1e4, 1e7 / n)))};
}

// A is zero, or empty: every x is a solution; with a ridge term it is 0.
Driver::Verdict Driver::trivial_answer() {
  const Problem& problem = setup_.problem();
  const ConstView x0 = problem.x0();
  run_.best.assign(x0.data, x0.data + x0.size());
  if (problem.ridge() > 0.0) std::fill(run_.best.begin(), run_.best.end(), 0.0);
  for (std::size_t i = 0; problem.has_bounds() && i < run_.best.size(); ++i) {
    const std::size_t j = i % to_size(problem.cols());
    run_.best[i] = std::clamp(run_.best[i], problem.lower()[j], problem.upper()[j]);
  }
  return {Status::converged, StoppedBy::no_entries,
          problem.rows() == 0 || problem.cols() == 0 ? "A is empty: there is nothing to solve"
                                                     : "A is zero: every x is a solution"};
}

}  // namespace polyak::internal
