#include "solve_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "statistics_table.hpp"
#include "suggest.hpp"

namespace polyak::cli {
namespace {

constexpr Index most_coefficients = 30;

const char* heading(Status status) {
  switch (status) {
    case Status::converged: return "Converged";
    case Status::limit: return "Not converged";
    case Status::diverged: return "Diverged";
    case Status::stagnated: return "Stagnated";
    case Status::interrupted: return "Interrupted";
  }
  return "Not converged";
}

std::string row(const std::string& label, const std::string& text) {
  return fmt::format("  {:<10} {}\n", label, text);
}

std::string duration(double seconds) {
  return seconds < 1.0 ? fmt::format("{:.1f} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string parameters(const Report& report) {
  const Used& used = report.used;
  std::string text = report.method;
  if (report.asked.method == "auto") text += " (chosen automatically)";
  if (used.batch) text += fmt::format(", batch {}", *used.batch);
  if (used.step_size) text += fmt::format(", step size {:.4g}", *used.step_size);
  if (used.momentum) text += fmt::format(", momentum {:.4g}", *used.momentum);
  if (used.sampling) text += ", " + *used.sampling + " sampling";
  return text;
}

std::string problem(const Report& report) {
  std::string text = fmt::format("{} x {}, {}", report.rows, report.cols, report.matrix);
  if (report.nnz != report.rows * report.cols) text += fmt::format(", {} entries", report.nnz);
  if (report.right_hand_sides != 1)
    text += fmt::format(", {} right-hand sides", report.right_hand_sides);
  return text;
}

std::string work(const Report& report) {
  return fmt::format("{} iteration{}, {:.4g} pass{} over the rows", report.iterations,
                     report.iterations == 1 ? "" : "s", report.passes,
                     report.passes == 1.0 ? "" : "es");
}

std::string time(const Seconds& seconds) {
  return fmt::format("{} (reading {}, set-up {}, solving {}, measuring {})",
                     duration(seconds.total), duration(seconds.read), duration(seconds.setup),
                     duration(seconds.solve), duration(seconds.measure));
}

// What the automatic choice did, one line a step.
std::string plan_rows(const Report& report) {
  std::string out;
  for (const Stage& stage : report.stages)
    out += row(out.empty() ? "plan" : "", fmt::format("{} ({}): {}", stage.method,
                                                      duration(stage.seconds), stage.outcome));
  return out;
}

std::string norm_row(const char* label, const std::optional<double>& norm, const char* relative_to,
                     const std::optional<double>& relative) {
  if (!norm) return {};
  std::string text = fmt::format("{:.3g}", *norm);
  if (relative) text += fmt::format(", {:.3g} of {}", *relative, relative_to);
  return row(label, text);
}

// "19 of 20, condition 3.4e+03".
std::string rank_text(const Report& report) {
  std::string text = fmt::format("{} of {} columns", *report.used.rank, report.cols);
  if (report.used.condition && std::isfinite(*report.used.condition))
    text += fmt::format(", condition {:.2g}", *report.used.condition);
  if (report.used.column_scaling) text += "; " + *report.used.column_scaling;
  return text;
}

std::string coefficients(const Report& report, const std::vector<std::string>& names) {
  const auto name = [&](Index j) {
    return names.empty() ? "x" + std::to_string(j + 1) : names[to_size(j)];
  };
  std::size_t width = 0;
  for (Index j = 0; j < report.x.rows(); ++j) width = std::max(width, name(j).size());
  std::string out = "\n";
  for (Index j = 0; j < report.x.rows(); ++j) {
    out += fmt::format("  {:<{}}", name(j), width);
    for (Index c = 0; c < report.x.cols(); ++c) out += fmt::format("  {:>12.6g}", report.x(j, c));
    out += "\n";
  }
  return out;
}

// A few numbers are shown when they have names or are written nowhere else.
std::string answer(const Report& report, const std::vector<std::string>& names,
                   const OutputOptions& outputs) {
  const bool few = report.x.rows() <= most_coefficients && report.x.cols() <= 4;
  if (few && report.statistics) return statistics_table(report, names);
  if (few && (!names.empty() || !outputs.output)) return coefficients(report, names);
  if (outputs.output) return {};
  return "\n  x is not shown; --output x.npy writes it\n";
}

}  // namespace

std::string summary(const Report& report, const std::vector<std::string>& names,
                    const OutputOptions& outputs, const std::vector<std::string>& written) {
  std::string out = fmt::format("{}: {}\n", heading(report.status), report.reason);
  out += row("problem", problem(report));
  out += row("method", parameters(report));
  out += plan_rows(report);
  out += row("work", work(report));
  out += row("time", time(report.seconds));
  out += norm_row("residual", report.residual_norm, "|b|", report.relative_residual);
  out += norm_row("gradient", report.gradient_norm, "|a_j||r| in the worst column", report.relative_gradient);
  if (report.used.rank) out += row("rank", rank_text(report));
  if (report.error) out += row("error", fmt::format("{:.3g} of |reference|", *report.error));
  if (report.statistics) out += row("fit", statistics_line(*report.statistics));
  if (!written.empty()) out += row("files", listed(written));
  return out + answer(report, names, outputs);
}

}  // namespace polyak::cli
