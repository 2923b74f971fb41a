#include "solve_outputs.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "polyak/io.hpp"
#include "ranks.hpp"
#include "signals.hpp"
#include "solve_summary.hpp"

namespace polyak::cli {
namespace {

namespace fs = std::filesystem;

// Pipes and devices may block for ever, so there a second signal must work;
// they have no file that could be torn.
bool is_file(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return path != "-" && (!fs::exists(status) || fs::is_regular_file(status));
}

using Paths = std::vector<std::string>;

template <class Write>
std::optional<Error> attempt(const std::optional<std::string>& path, Paths& written, Write write) {
  if (!path) return std::nullopt;
  std::optional<HoldSignals> hold;
  if (is_file(*path)) hold.emplace();
  try {
    write(*path);
    if (*path != "-") written.push_back(*path);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// One stream, one thing: what is written to standard output moves the summary
// to standard error.
void tell(const SolveRequest& request, const std::vector<std::string>& names, const Paths& written,
          int exit_code, const Report& report, Messages& messages) {
  for (const std::string& warning : report.warnings) messages.warning(warning);
  messages.event({{"event", "finish"},
                  {"status", to_string(report.status)},
                  {"reason", report.reason},
                  {"exit_code", exit_code},
                  {"seconds", report.seconds.total}});
  if (messages.quiet()) return;
  const bool taken = request.outputs.to_stdout();
  if (messages.json()) return taken ? void() : print(to_json(report));
  const std::string text = summary(report, names, request.outputs, written);
  if (taken)
    messages.note(text.substr(0, text.size() - 1));
  else
    print(text);
}

// Quiet means errors only, and this is one.
void tell_divergence(const Report& report, Messages& messages) {
  if (report.status != Status::diverged || !messages.quiet()) return;
  const Error error(ErrorCode{4}, {.what = "diverged: " + report.reason});
  messages.error(error);
}

}  // namespace

void write_outputs(const SolveRequest& request, const std::vector<std::string>& names,
                   int exit_code, Report& report, Messages& messages) {
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
    write_text(path, statistics_csv(report, names));
  });
  const auto report_error = attempt(
      outputs.report, files, [&](const std::string& path) { write_text(path, to_json(report)); });
  tell(request, names, files, exit_code, report, messages);
  tell_divergence(report, messages);
  if (x) throw *x;
  if (statistics) throw *statistics;
  if (report_error) throw *report_error;
}

}  // namespace polyak::cli
