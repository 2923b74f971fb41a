#include <fmt/format.h>

#include <cmath>

#include "cli/memory.hpp"
#include "cli/options.hpp"
#include "polyak/io.hpp"
#include "polyak/plan.hpp"
#include "program.hpp"
#include "solve/request.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

std::string look_text(const AutomaticPlan& plan) {
  if (plan.rows_to_look_at == 0) return "With --method auto, from the shape of A:\n";
  if (!plan.look)
    return fmt::format(
        "With --method auto: a look at {} rows first ({:.2g} s, {}), which may change this "
        "order:\n",
        plan.rows_to_look_at, plan.look_seconds, bytes_text(plan.look_bytes));
  const AutomaticPlan::Look& look = *plan.look;
  std::string out = fmt::format("With --method auto, after a look at {} rows: ", look.rows_solved);
  if (look.consistent)
    out += "consistent, ";
  else if (look.relative_residual)
    out += fmt::format("inconsistent, |r| is {:.1e} of |b|, ", *look.relative_residual);
  if (!std::isfinite(look.condition))
    return out + "too ill-conditioned for their normal equations\n";
  return out + fmt::format("rank {}, condition about {:.1e}\n", look.rank, look.condition);
}

std::string remark(const AutomaticPlan::Step& step) {
  return step.tol ? fmt::format("{} (to {:.1e})", step.why, *step.tol) : step.why;
}

struct PlanRequest {
  bool json = false;
  SolveOptions options;
};

// The records of the solver's options that a plan uses.
std::vector<OptionRecord<SolveOptions>> plan_options() {
  std::vector<OptionRecord<SolveOptions>> out;
  for (const auto& record : solve_options())
    for (const std::string& name : plan_option_names())
      if (record.name == name) out.push_back(record);
  return out;
}

const std::vector<OptionRecord<PlanRequest>>& plan_output_options() {
  static const std::vector<OptionRecord<PlanRequest>> table = {
      {.name = "json",
       .field = &PlanRequest::json,
       .value = "",
       .sentence = "Print one JSON object."},
  };
  return table;
}

Usage plan_usage() {
  return {.command = "plan",
          .positionals = {"A", "b"},
          .required = 1,
          .text = R"(Look at A, print what solve would do with --method auto, and what each method
would need.

Usage: polyak plan A [b] [options]

Without b a consistent problem is assumed. Nothing is solved and no file is
written. The seconds of the first table are those of a nominal machine, on which
the choice is based; those of the second come from a short measurement here.
)",
          .ending = R"(
Examples:
  polyak plan A.npy b.npy
  polyak plan A.mtx --sampling uniform --tol 1e-6 --json
)"};
}

std::string count(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 1e6 ? fmt::format("{:.0f}", *value) : fmt::format("{:.2e}", *value);
}
std::string decimals(const std::optional<double>& value, const char* form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

// The first word of the kind: "model", "proved".
std::string short_kind(const PlanRow& row) {
  std::string out = row.kind.substr(0, row.kind.find(':'));
  if (row.certified_rate) out += ", certified";
  return out;
}

std::string interval(const std::vector<double>& range) {
  return range.empty() ? "" : fmt::format(" ({:.4g} to {:.4g})", range[0], range[1]);
}

// "6 of 8 columns; x5 depends on x1, x2".
std::string rank_text(const PlanReport& plan, const std::vector<std::string>& names) {
  std::string out = fmt::format("{} of {} columns", *plan.rank, plan.cols);
  if (plan.dependent_columns.empty()) return out;
  return out + "; " +
         dependences_text(plan.dependent_columns, [&](Index j) { return column_name(names, j); });
}

std::string facts_text(const PlanReport& plan, const std::vector<std::string>& names) {
  std::string out = fmt::format("A is {} x {} ({})\n", plan.rows, plan.cols, plan.matrix);
  const auto line = [&](const char* label, const std::string& text) {
    out += fmt::format("  {:<12} {}\n", label, text);
  };
  line("rows", fmt::format("{} zero, {} repeated", plan.zero_rows, plan.duplicate_rows));
  if (plan.table.empty()) return out;
  line("spectrum", fmt::format("lambda_min {:.4g}{}, lambda_max {:.4g}{}, kappa {:.4g} ({})",
                               plan.lambda_min, interval(plan.lambda_min_range), plan.lambda_max,
                               interval(plan.lambda_max_range), plan.kappa, plan.spectrum_source));
  if (plan.rank) line("rank", rank_text(plan, names));
  line("size", fmt::format("|A|_F^2 {:.6g}, kappa_bar {:.4g}", plan.frobenius2, plan.kappa_bar));
  line("sampling",
       fmt::format("{}, eta {:.4g}{}", plan.sampling, plan.eta,
                   plan.eta_effective ? fmt::format(", eta_eff {:.4g}", *plan.eta_effective) : ""));
  if (plan.relative_residual)
    line("best fit", fmt::format("residual {:.2g} of |b|", *plan.relative_residual));
  return out;
}

std::string table_text(const PlanReport& plan) {
  std::string out = fmt::format("\nEach method, to a tolerance of {:g}:\n", plan.tol);
  out += fmt::format("    {:<14} {:>9} {:>8} {:>11} {:>11} {:>9} {:>9}  {}\n", "method", "batch",
                     "rate", "iterations", "rows", "passes", "seconds", "prediction");
  for (std::size_t i = 0; i < plan.table.size(); ++i) {
    const PlanRow& row = plan.table[i];
    out += fmt::format("  {} {:<14} {:>9} {:>8} {:>11} {:>11} {:>9} {:>9}  {}{}\n",
                       i == plan.recommended ? '*' : ' ', row.method,
                       row.batch ? std::to_string(*row.batch) : "-", decimals(row.rate, "{:.4f}"),
                       count(row.iterations), count(row.row_products),
                       decimals(row.passes, "{:.3g}"), decimals(row.seconds, "{:.3g}"),
                       short_kind(row), row.note.empty() ? "" : "; " + row.note);
  }
  return out;
}

std::string advice(const PlanReport& plan, const std::string& A, const std::string& b,
                   const SolveOptions& options) {
  const PlanRow& row = plan.table[plan.recommended];
  std::string command = fmt::format("polyak solve {} {} --method {}", A, b, row.method);
  if (row.batch) command += fmt::format(" --batch {}", *row.batch);
  if (row.method == "rk") command += fmt::format(" --measure-every {:.2g}", 1.15 * *row.passes);
  if (row.batch && options.sampling != "row-norm") command += " --sampling " + options.sampling;
  if (options.column_scaling != "auto") command += " --column-scaling " + options.column_scaling;
  if (options.tol != SolveOptions{}.tol) command += fmt::format(" --tol {:g}", options.tol);
  std::string out = "\nRecommended of these (*):  " + command + "\n";
  for (const std::string& remark : plan.remarks) out += "Note: " + remark + "\n";
  return out + R"(
recommended: the least seconds of those whose prediction is certain enough. rk must be
twice as fast as the others, and a minibatch method has its default batch.
rate: the error falls like rate^k. proved and bound: no more iterations than this;
certified: proved for any matrix with this spectrum; model: expected for these rows,
within a factor of 2; estimate: within a factor of 4; guess: may be wrong by any
factor. seconds are measured here, within a factor of 3, without reading and set-up.
)";
}

}  // namespace

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

int plan_command(const Words& words, Messages& messages) {
  PlanRequest request;
  DataOptions data;
  MessageOptions message;
  OptionSet options;
  options.add("Data", reading_options(), data);
  options.add("Plan", plan_options(), request.options);
  options.add("Output", plan_output_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, plan_usage());
  if (parsed.help) return print(help_text(plan_usage(), options)), 0;
  messages.configure(message);
  const std::string A = parsed.positionals[0];
  const bool has_b = parsed.positionals.size() > 1;
  messages.status("reading " + A);
  const Table table = with_memory_for(A, [&] { return read_table(A, data.read_options()); });
  const Array b = has_b ? read_array(parsed.positionals[1]) : table.b;
  messages.status("planning");
  const PlanReport plan =
      with_memory_for(A, [&] { return make_plan_report(table.A, b, request.options); });
  messages.status("");
  if (request.json) return print(to_json(plan)), 0;
  print(facts_text(plan, table.names));
  if (plan.table.empty()) return print(plan.remarks[0] + "\n"), 0;
  if (plan.automatic) print("\n" + automatic_text(*plan.automatic));
  print(table_text(plan));
  print(advice(plan, A, has_b ? parsed.positionals[1] : "b", request.options));
  return 0;
}

}  // namespace polyak::cli
