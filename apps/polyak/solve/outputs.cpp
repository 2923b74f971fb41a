#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/messages.hpp"
#include "polyak/io.hpp"
#include "ranks.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {

std::string column_name(const std::vector<std::string>& names, Index j) {
  return names.empty() ? "x" + std::to_string(j + 1) : names[to_size(j)];
}

namespace {

constexpr std::size_t max_sides_shown = 4;  // right-hand sides in one line

std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "-";
}
std::string entry(const Array& values, Index j, Index c) {
  return values.empty() ? "-" : number(values(j, c));
}

template <class Values>
std::string joined(const Values& values) {
  std::string out;
  for (std::size_t c = 0; c < std::min(values.size(), max_sides_shown); ++c)
    out += (c ? " | " : "") + number(values[c]);
  return values.size() > max_sides_shown ? out + " | ..." : out;
}

// The quality of the fit in one line.
std::string statistics_line(const Statistics& statistics) {
  std::string out;
  if (!statistics.r_squared.empty())
    out += fmt::format("R squared {} about {}, ", joined(statistics.r_squared),
                       statistics.centred ? "the mean" : "zero");
  if (statistics.residual_variance.empty())
    return out + "residual sum of squares " + joined(statistics.residual_sum_of_squares);
  return out + fmt::format("residual variance {}, {:g} degrees of freedom",
                           joined(statistics.residual_variance), *statistics.degrees_of_freedom);
}

std::string quality_line(const Statistics& statistics) {
  return fmt::format("F {} (p value {}), adjusted R squared {}, AIC {}, BIC {}",
                     joined(statistics.f_statistic), joined(statistics.f_p_value),
                     joined(statistics.adjusted_r_squared), joined(statistics.aic),
                     joined(statistics.bic));
}

// A block per right-hand side, a line per unknown: name, estimate, standard error, t value, its
// p value, and the ends of the confidence interval; "-" for a number that does not exist.
class StatisticsTable {
 public:
  StatisticsTable(const Report& report, const std::vector<std::string>& names, double confidence)
      : report_(report), statistics_(*report.statistics), names_(names) {
    for (Index j = 0; j < report.x.rows(); ++j)
      width_ = std::max(width_, column_name(names, j).size());
    if (!statistics_.standard_errors.empty())
      quantile_ = student_quantile(confidence, *statistics_.degrees_of_freedom);
    interval_ = fmt::format("{:g} % interval", 100.0 * confidence);
  }

  std::string text() const {
    std::string out;
    for (Index c = 0; c < report_.x.cols(); ++c) {
      out += "\n";
      if (report_.x.cols() > 1) out += fmt::format("  right-hand side {}\n", c + 1);
      out += fmt::format("  {:<{}}  {:>11}  {:>14}  {:>9}  {:>9}  {:>24}\n", "", width_, "estimate",
                         "standard error", "t value", "p value", interval_);
      for (Index j = 0; j < report_.x.rows(); ++j) out += line(j, c);
    }
    return out;
  }

 private:
  std::string line(Index j, Index c) const {
    return fmt::format("  {:<{}}  {:>11}  {:>14}  {:>9}  {:>9}  {:>11}  {:>11}\n",
                       column_name(names_, j), width_, number(report_.x(j, c)),
                       entry(statistics_.standard_errors, j, c), entry(statistics_.t_values, j, c),
                       p_value(j, c), limit(j, c, -1.0), limit(j, c, 1.0));
  }
  std::string p_value(Index j, Index c) const {
    return statistics_.p_values.empty() ? "-" : fmt::format("{:.3g}", statistics_.p_values(j, c));
  }
  std::string limit(Index j, Index c, double side) const {
    if (statistics_.standard_errors.empty()) return "-";
    return number(report_.x(j, c) + side * quantile_ * statistics_.standard_errors(j, c));
  }

  const Report& report_;
  const Statistics& statistics_;
  const std::vector<std::string>& names_;
  std::size_t width_ = 0;
  double quantile_ = 0.0;
  std::string interval_;
};

constexpr Index max_coefficients_shown = 30;

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

// The stages of auto, one line each.
std::string plan_rows(const Report& report) {
  std::string out;
  for (const Stage& stage : report.stages)
    out += row(out.empty() ? "plan" : "",
               fmt::format("{} ({}): {}", stage.method, duration(stage.seconds), stage.outcome));
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
  const auto name = [&](Index j) { return column_name(names, j); };
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

// The coefficients are shown if there are few, and they have names or no --output.
std::string answer(const Report& report, const std::vector<std::string>& names,
                   const OutputOptions& outputs) {
  const bool few = report.x.rows() <= max_coefficients_shown && report.x.cols() <= 4;
  if (few && report.statistics)
    return StatisticsTable(report, names, outputs.confidence_level()).text();
  if (few && (!names.empty() || !outputs.output)) return coefficients(report, names);
  if (outputs.output) return {};
  return "\n  x is not shown; --output x.npy writes it\n";
}

// About a dozen lines: status, parameters, work, time, norms, and the coefficients if they
// are few. `names` are those of the unknowns, or empty; `written` are the files.
std::string summary(const Report& report, const std::vector<std::string>& names,
                    const OutputOptions& outputs, const std::vector<std::string>& written) {
  std::string out = fmt::format("{}: {}\n", heading(report.status), report.reason);
  out += row("problem", problem(report));
  out += row("method", parameters(report));
  out += plan_rows(report);
  out += row("work", work(report));
  if (report.stream) out += row("checked", report.verified);
  out += row("time", time(report.seconds));
  out += norm_row("residual", report.residual_norm, "|b|", report.relative_residual);
  out += norm_row("gradient", report.gradient_norm, "|a_j||r| in the worst column",
                  report.relative_gradient);
  if (report.used.rank) out += row("rank", rank_text(report));
  if (!report.dependent_columns.empty())
    out += row("dependent", dependences_text(report.dependent_columns,
                                             [&](Index j) { return column_name(names, j); }));
  if (report.error) out += row("error", fmt::format("{:.3g} of |reference|", *report.error));
  if (report.statistics) out += row("fit", statistics_line(*report.statistics));
  if (report.statistics && report.statistics->degrees_of_freedom)
    out += row("", quality_line(*report.statistics));
  if (!written.empty()) out += row("files", listed(written));
  return out + answer(report, names, outputs);
}

using Paths = std::vector<std::string>;

template <class Write>
std::optional<Error> attempt(const std::optional<std::string>& path, Paths& written, Write write) {
  if (!path) return std::nullopt;
  try {
    write(*path);
    if (*path != "-") written.push_back(*path);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// The summary goes to standard error if an output goes to standard output.
void show(const SolveRequest& request, const std::vector<std::string>& names, const Paths& written,
          int exit_code, const Report& report, Messages& messages) {
  for (const std::string& warning : report.warnings) messages.warning(warning);
  messages.event({{"event", "finish"},
                  {"status", to_string(report.status)},
                  {"reason", report.reason},
                  {"exit_code", exit_code},
                  {"seconds", report.seconds.total}});
  if (messages.quiet()) return;
  const bool taken = request.outputs.to_stdout();
  const auto write = written.empty() ? print : print_summary;
  if (messages.json()) return taken ? void() : write(to_json(report));
  const std::string text = summary(report, names, request.outputs, written);
  if (taken)
    messages.note(text.substr(0, text.size() - 1));
  else
    write(text);
}

// With --quiet the summary is omitted, but divergence is an error.
void report_divergence(const Report& report, Messages& messages) {
  if (report.status != Status::diverged || !messages.quiet()) return;
  const Error error(ErrorCode{4}, {.what = "diverged: " + report.reason});
  messages.error(error);
}

}  // namespace

void write_outputs(const SolveRequest& request, const std::vector<std::string>& names,
                   int exit_code, Report& report, Messages& messages, const Problem* problem) {
  if (rank() != 0) return;
  const OutputOptions& outputs = request.outputs;
  Paths files;
  const auto x = attempt(outputs.output, files, [&](const std::string& path) {
    write_array(path, report.x.view(), names);
  });
  const auto history = attempt(outputs.history, files, [&](const std::string& path) {
    write_text(path, history_csv(report.history));
  });
  if (history) report.warnings.push_back(std::string("no history: ") + history->what());
  const auto statistics = attempt(outputs.statistics, files, [&](const std::string& path) {
    write_text(path, statistics_csv(report, names, outputs.confidence_level()));
  });
  const auto model = write_model_outputs(request, names, problem, report, files);
  const auto report_error = attempt(
      outputs.report, files, [&](const std::string& path) { write_text(path, to_json(report)); });
  show(request, names, files, exit_code, report, messages);
  report_divergence(report, messages);
  if (x) throw *x;
  if (statistics) throw *statistics;
  if (model) throw *model;
  if (report_error) throw *report_error;
}

}  // namespace polyak::cli
