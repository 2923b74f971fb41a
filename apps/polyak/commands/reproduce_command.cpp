#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/stopping.hpp"
#include "polyak/experiments.hpp"
#include "program.hpp"
#include "solve/observers.hpp"

namespace polyak::cli {
namespace {

// "about 3 min left" and similar.
std::string time_left(double seconds) {
  if (seconds < 100.0) return fmt::format("about {:.0f} s left", seconds);
  return fmt::format("about {:.0f} min left", seconds / 60.0);
}

// Shows the progress: one line that is rewritten on a terminal, otherwise a line every few
// seconds; events in JSON.
class ReproduceProgress final : public experiments::Watcher {
 public:
  explicit ReproduceProgress(Messages& messages);

  void progress(const std::string& what, double done, std::optional<double> left_s) override;
  bool stop_requested() override;

 private:
  static constexpr double rewrite_every_s = 0.2, print_every_s = 10.0;

  Messages& messages_;
  double next_s_;  // time of the next line
};

ReproduceProgress::ReproduceProgress(Messages& messages)
    : messages_(messages), next_s_(clock_s() + (messages.live() ? 0.0 : print_every_s)) {
  catch_signals(messages.live());
}

void ReproduceProgress::progress(const std::string& what, double done,
                                 std::optional<double> left_s) {
  if (clock_s() < next_s_) return;
  next_s_ = clock_s() + (messages_.live() ? rewrite_every_s : print_every_s);
  nlohmann::ordered_json event{{"event", "progress"}, {"what", what}, {"done", done}};
  if (left_s) event["seconds_left"] = *left_s;
  messages_.event(event);
  const std::string text =
      fmt::format("{:.0f} %, {}{}", 100.0 * done, what, left_s ? ", " + time_left(*left_s) : "");
  if (messages_.live())
    messages_.status(text);
  else
    messages_.note("polyak: " + text);
}

bool ReproduceProgress::stop_requested() { return signal_received() != 0; }

namespace fs = std::filesystem;
using experiments::Claim;
using experiments::Outcome;

struct ReproduceRequest : experiments::Options {
  std::optional<std::string> folder;
  std::uint64_t given_seed = 1;  // option tables have no optional seed
};

const std::vector<OptionRecord<ReproduceRequest>>& reproduce_options() {
  using R = ReproduceRequest;
  static const std::vector<OptionRecord<R>> table = {
      {.name = "out",
       .field = &R::folder,
       .value = "DIR",
       .sentence = "Folder for the page, pictures and numbers; created if necessary."},
      {.name = "trials",
       .field = &R::trials,
       .value = "T",
       .sentence = "Runs of each configuration; by default those of the spec (the paper has 100).",
       .lowest = 1,
       .highest = 1e6},
      {.name = "rows",
       .field = &R::rows,
       .value = "N",
       .sentence =
           "Rows of the generated problems; the paper has 1000000. A scan (fig6) drops views to "
           "come near this number, and never adds any.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "seed",
       .field = &R::given_seed,
       .value = "N",
       .sentence = "Seed of problems and runs; the same seed gives the same numbers."},
      {.name = "threads",
       .field = &R::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores. The numbers do not depend on it.",
       .lowest = 0,
       .highest = 4096},
      {.name = "force",
       .field = &R::force,
       .value = "",
       .sentence = "Run configurations again that DIR already holds."},
  };
  return table;
}

std::string reproduce_ending() {
  std::string out = "\nFigures:\n";
  for (const auto& figure : experiments::figure_names())
    out += fmt::format("  {:<8} {}\n", figure.name, figure.title);
  return out + R"(
An interrupted run (exit code 75) keeps every finished configuration in DIR/.runs;
the same command continues from there. A claim that fails is shown on the page and
in claims.json, and does not change the exit code.

Examples:
  polyak reproduce all --rows 20000 --trials 10 --out small
  polyak reproduce fig2 --out full
  polyak reproduce my.toml --out mine
)";
}

Usage reproduce_usage() {
  return {.command = "reproduce",
          .positionals = {"FIGURE"},
          .required = 1,
          .text = R"(Run the paper's experiments, or your own, and write a page about them.

Usage: polyak reproduce FIGURE|all|SPEC.toml --out DIR [options]

Writes DIR/index.html, claims.json, and FIGURE.csv, .svg and .png of each figure;
of fig6 the recovered images as well.
)",
          .ending = reproduce_ending(),
          .words = {"FIGURE"}};
}

// The argument must be a figure or a file; anything else is taken for a misspelt figure.
void check_what(const std::string& what) {
  std::vector<std::string> names;
  for (const auto& figure : experiments::figure_names()) names.push_back(figure.name);
  names.emplace_back("all");
  for (const std::string& name : names)
    if (what == name) return;
  if (fs::exists(what)) return;
  if (what.find('.') != std::string::npos || what.find('/') != std::string::npos)
    throw Error(ErrorCode::no_input, {.what = "there is no such spec", .where = what});
  const std::string near = nearest(what, names);
  throw Error(ErrorCode::usage, {.what = "there is no such figure",
                                 .where = "reproduce",
                                 .found = "'" + what + "'",
                                 .expected = listed(names) + " or a spec file",
                                 .hint = near.empty() ? "" : "did you mean " + near + "?"});
}

std::string summary(const Outcome& outcome, const std::string& folder) {
  int yes = 0, no = 0, none = 0;
  std::string failed;
  for (const Claim& claim : outcome.claims) {
    (!claim.pass ? none : *claim.pass ? yes : no) += 1;
    if (claim.pass && !*claim.pass)
      failed += fmt::format("  fails: {}{}{}: {} (expected {}, measured {})\n", claim.figure,
                            claim.panel.empty() ? "" : ", ", claim.panel, claim.claim,
                            claim.expected, claim.measured);
  }
  std::string out = fmt::format("{} configurations run, {} kept from earlier runs, {:.1f} s\n",
                                outcome.runs_made, outcome.runs_kept, outcome.seconds);
  out += fmt::format("Claims: {} hold, {} fail, {} not applicable\n{}", yes, no, none, failed);
  return out + fmt::format("The page is {}\n", (fs::path(folder) / "index.html").string());
}

void log_done(const Outcome& outcome, Messages& messages) {
  messages.event({{"event", "done"},
                  {"runs_made", outcome.runs_made},
                  {"runs_kept", outcome.runs_kept},
                  {"seconds", outcome.seconds},
                  {"files", outcome.files}});
}

}  // namespace

int reproduce_command(const Words& words, Messages& messages) {
  ReproduceRequest request;
  MessageOptions message;
  OptionSet options;
  options.add("Experiment", reproduce_options(), request);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, reproduce_usage());
  if (parsed.help) return print(help_text(reproduce_usage(), options)), 0;
  messages.configure(message);
  const std::string& what = parsed.positionals[0];
  check_what(what);
  if (!request.folder)
    throw Error(ErrorCode::usage, {.what = "the folder to write to is missing",
                                   .where = "reproduce",
                                   .found = {},
                                   .expected = "--out DIR"});
  if (parsed.given.contains("seed")) request.seed = request.given_seed;
  request.out = *request.folder;
  ReproduceProgress progress(messages);
  Watchdog watchdog({}, messages);
  const auto guard = watchdog.finish_with([&](Status) {
    messages.note(
        "polyak: interrupted; finished configurations are kept, the same command "
        "goes on from there");
    return interrupted_and_saved;
  });
  const Outcome outcome =
      with_memory_for("reproduce " + what, [&] { return reproduce(what, request, progress); });
  watchdog.disarm();
  messages.status("");
  for (const std::string& note : outcome.notes) messages.warning(note);
  if (outcome.interrupted) {
    messages.note(
        fmt::format("polyak: interrupted; {} configurations are kept, the same command "
                    "goes on from there",
                    outcome.runs_made + outcome.runs_kept));
    return interrupted_and_saved;
  }
  log_done(outcome, messages);
  if (!messages.quiet() && !messages.json()) print_summary(summary(outcome, request.out));
  return 0;
}

}  // namespace polyak::cli
