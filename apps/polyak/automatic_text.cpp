#include "automatic_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace polyak::cli {
namespace {

std::string look_text(const AutomaticPlan& plan) {
  if (plan.rows_to_look_at == 0) return "By itself (auto), from its shape:\n";
  if (!plan.look)
    return fmt::format(
        "By itself (auto): a look at {} rows first ({:.2g} s, {}); what they tell may change "
        "this order:\n",
        plan.rows_to_look_at, plan.look_seconds, bytes_text(plan.look_bytes));
  const AutomaticPlan::Look& look = *plan.look;
  std::string out = fmt::format("By itself (auto), after a look at {} rows: ", look.rows_solved);
  if (look.consistent) out += "consistent, ";
  else if (look.relative_residual)
    out += fmt::format("inconsistent, |r| is {:.1e} of |b|, ", *look.relative_residual);
  if (!std::isfinite(look.condition))
    return out + "ill-conditioned, so that their normal equations do not tell x\n";
  return out + fmt::format("rank {}, condition about {:.1e}\n", look.rank, look.condition);
}

std::string remark(const AutomaticPlan::Step& step) {
  return step.tol ? fmt::format("{} (to {:.1e})", step.why, *step.tol) : step.why;
}

}  // namespace

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1e6) return fmt::format("{:.3g} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes < 1e12 ? fmt::format("{:.3g} GB", bytes / 1e9)
                      : fmt::format("{:.4g} TB", bytes / 1e12);
}

std::string automatic_text(const AutomaticPlan& plan) {
  std::string out = look_text(plan);
  out += fmt::format("    {:<14} {:>9} {:>11}  {}\n", "method", "seconds", "memory", "why");
  int place = 0;
  for (const AutomaticPlan::Step& step : plan.steps)
    out += fmt::format("  {} {:<14} {:>9.3g} {:>11}  {}\n", ++place, step.method, step.seconds,
                       bytes_text(step.memory_bytes), remark(step));
  for (const AutomaticPlan::RuledOut& method : plan.ruled_out)
    out += fmt::format("  - {:<14} {:>9} {:>11}  {}\n", method.method, "", "", method.why);
  return out;
}

}  // namespace polyak::cli
