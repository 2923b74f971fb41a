#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "memory.hpp"
#include "polyak/experiments.hpp"
#include "reproduce_progress.hpp"
#include "signals.hpp"
#include "stop_in_time.hpp"
#include "suggest.hpp"

namespace polyak::cli {
namespace {

namespace fs = std::filesystem;
using experiments::Claim;
using experiments::Outcome;

struct ReproduceRequest : experiments::Options {
  std::optional<std::string> folder;
  std::uint64_t given_seed = 1;  // tables know no optional seed
};

const std::vector<OptionRecord<ReproduceRequest>>& reproduce_options() {
  using R = ReproduceRequest;
  static const std::vector<OptionRecord<R>> table = {
      {.name = "out",
       .field = &R::folder,
       .value = "DIR",
       .sentence = "Folder for the page, pictures and numbers; made if it is not there."},
      {.name = "trials",
       .field = &R::trials,
       .value = "T",
       .sentence = "Runs of each configuration; those of the spec (the paper's 100) where absent.",
       .lowest = 1,
       .highest = 1e6},
      {.name = "rows",
       .field = &R::rows,
       .value = "N",
       .sentence =
           "Rows of the problems that are made to order; the paper's are 1000000. A scan (fig6) "
           "drops views to get there, and never adds any.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "seed",
       .field = &R::given_seed,
       .value = "N",
       .sentence = "Of problems and runs; the same seed gives the same numbers."},
      {.name = "threads",
       .field = &R::threads,
       .value = "N",
       .sentence = "Threads; 0 takes all cores. Never changes a number.",
       .lowest = 0,
       .highest = 4096},
      {.name = "force",
       .field = &R::force,
       .value = "",
       .sentence = "Run again what DIR holds already."},
  };
  return table;
}

std::string ending() {
  std::string out = "\nFigures:\n";
  for (const auto& figure : experiments::figure_names())
    out += fmt::format("  {:<8} {}\n", figure.name, figure.title);
  return out + R"(
Interrupted, it keeps every finished configuration in DIR/.runs, and the same
command goes on from there (exit code 75). A claim that fails is told on the
page and in claims.json, and does not change the exit code.

Examples:
  polyak reproduce all --rows 20000 --trials 10 --out small
  polyak reproduce fig2 --out full
  polyak reproduce my.toml --out mine
)";
}

Usage usage() {
  return {.command = "reproduce",
          .positionals = {"FIGURE"},
          .required = 1,
          .text = R"(Run the paper's experiments, or your own, and write a page about them.

Usage: polyak reproduce FIGURE|all|SPEC.toml --out DIR [options]

Writes DIR/index.html, claims.json, and FIGURE.csv, .svg and .png of each figure;
of fig6 the recovered images as well.
)",
          .ending = ending()};
}

// A figure by name, or a file; a word that is neither was meant to be one.
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

std::string told(const Outcome& outcome, const std::string& folder) {
  int yes = 0, no = 0, none = 0;
  std::string failed;
  for (const Claim& claim : outcome.claims) {
    (!claim.pass ? none : *claim.pass ? yes : no) += 1;
    if (claim.pass && !*claim.pass)
      failed += fmt::format("  fails: {}{}{}: {} (expected {}, measured {})\n", claim.figure,
                            claim.panel.empty() ? "" : ", ", claim.panel, claim.claim,
                            claim.expected, claim.measured);
  }
  std::string out = fmt::format("{} configurations run, {} taken from before, {:.1f} s\n",
                                outcome.runs_made, outcome.runs_kept, outcome.seconds);
  out += fmt::format("Claims: {} hold, {} fail, {} not applicable\n{}", yes, no, none, failed);
  return out + fmt::format("The page is {}\n", (fs::path(folder) / "index.html").string());
}

void tell_json(const Outcome& outcome, Messages& messages) {
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
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
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
  StopInTime in_time({}, messages);
  const auto watch = in_time.wind_up_by([&](Status) {
    messages.note("polyak: interrupted; configurations that are done are kept, the same command "
                  "goes on from there");
    return interrupted_and_saved;
  });
  const Outcome outcome =
      with_memory_for("reproduce " + what, [&] { return reproduce(what, request, progress); });
  in_time.stand_down();
  messages.status("");
  for (const std::string& note : outcome.notes) messages.warning(note);
  if (outcome.interrupted) {
    messages.note(
        fmt::format("polyak: interrupted; {} configurations are kept, the same command "
                    "goes on from there",
                    outcome.runs_made + outcome.runs_kept));
    return interrupted_and_saved;
  }
  tell_json(outcome, messages);
  if (!messages.quiet() && !messages.json()) print(told(outcome, request.out));
  return 0;
}

}  // namespace polyak::cli
