#include "program.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "polyak/io.hpp"
#include "polyak/option_table.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak::cli {
namespace {

struct Command {
  std::string name;
  std::string summary;
  int (*run)(const Words&, Messages&);
};

// A command that has used its inputs to its end. The others test them before they write.
template <int (*run)(const Words&, Messages&)>
int with_unchanged_inputs(const Words& words, Messages& messages) {
  const int code = run(words, messages);
  check_inputs_unchanged();
  return code;
}

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"solve", "find x that minimises |Ax - b|", solve_command},
      {"plan", "predict what each method needs, and what solve would choose",
       with_unchanged_inputs<plan_command>},
      {"theory", "compute the batch size that a rate needs, and the rate of a batch",
       with_unchanged_inputs<theory_command>},
      {"generate", "make a problem with a known solution", generate_command},
      {"tomography", "reconstruct an image from its projections", tomography_command},
      {"reproduce", "run the paper's experiments, or your own",
       with_unchanged_inputs<reproduce_command>},
      {"predict", "predict the targets of new rows by a model",
       with_unchanged_inputs<predict_command>},
      {"score", "compare a model with rows that it was not fitted to",
       with_unchanged_inputs<score_command>},
      {"info", "show what a file holds", with_unchanged_inputs<info_command>},
      {"convert", "write a matrix in another format", with_unchanged_inputs<convert_command>},
      {"bench", "measure this machine, the library and other libraries", bench_command},
  };
  return table;
}

std::string help() {
  std::string out =
      "Least squares by row sampling.\n\nUsage: polyak COMMAND [arguments] "
      "[options]\n\nCommands:\n";
  for (const Command& command : commands())
    out += fmt::format("  {:<11} {}\n", command.name, command.summary);
  return out + R"(
polyak COMMAND --help explains a command, polyak --version prints the version.

A first try:
  polyak generate spectrum --output demo
  polyak solve demo/A.npy demo/b.npy --reference demo/x.npy
)";
}

std::string version() {
  const BuildInfo& build = build_info();
  return fmt::format("polyak {} ({}, {}, {})\n", build.version, build.commit, build.compiler,
                     build.type);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Command& command : commands()) out.push_back(command.name);
  return out;
}

[[noreturn]] void refuse(const std::string& word) {
  const bool option = word.starts_with('-');
  const std::string near = option ? "" : nearest(word, names());
  throw Error(ErrorCode::usage,
              {.what = word.empty() ? "a command is missing"
                       : option     ? "the command must come before the options"
                                    : "there is no such command",
               .where = {},
               .found = word.empty() ? "" : "'" + word + "'",
               .expected = listed(names()),
               .hint = near.empty() ? "see polyak --help" : "did you mean " + near + "?"});
}

// POLYAK_SIMD=avx2 and similar: vector instructions older than the newest of this
// machine, for comparisons and for tools that do not support all of them.
void choose_simd() {
  const char* name = std::getenv("POLYAK_SIMD");
  if (name == nullptr || *name == '\0' || use_simd_target(name)) return;
  throw Error(ErrorCode::usage, {.what = "these vector instructions are not available here",
                                 .where = "POLYAK_SIMD",
                                 .found = "'" + std::string(name) + "'",
                                 .expected = listed(simd_targets())});
}

// Options in messages of the library, as the user writes them here.
std::string flag(std::string_view name, std::string_view value) {
  const std::string out = "--" + std::string(name);
  return value.empty() ? out : out + " " + std::string(value);
}

}  // namespace

int run_command(const Words& words, Messages& messages) {
  set_option_naming(flag);
  const std::string first = words.empty() ? "" : words[0];
  if (first == "--help" || first == "-h" || first == "help") return print(help()), 0;
  if (first == "--version") return print(version()), 0;
  for (const Command& command : commands()) {
    if (command.name != first) continue;
    choose_simd();
    return command.run(Words(words.begin() + 1, words.end()), messages);
  }
  refuse(first);
}

Error as_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return out_of_memory("");
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal,
                 {.what = std::string("internal error in polyak: ") + error.what(),
                  .where = {},
                  .found = {},
                  .expected = {},
                  .hint = "please report it with the command"});
  }
}

}  // namespace polyak::cli
