#include "command_line.hpp"
#include "commands.hpp"
#include "memory.hpp"
#include "output_paths.hpp"
#include "solve_request.hpp"

namespace polyak::cli {
namespace {

Usage usage() {
  return {.command = "convert",
          .positionals = {"IN", "OUT"},
          .required = 2,
          .text = R"(Write a matrix in another format; the endings say which.

Usage: polyak convert IN OUT [options]

IN and OUT are .mtx, .mtx.gz, .npy, .csv or .svm, or - for standard input or
output; IN may also be .h5 (file.h5:/dataset), .mat (file.mat:variable), .petsc or .tif.
The labels of an .svm become the last column of a .csv, and otherwise a second
file: with OUT = A.npy that is A_b.npy.
)",
          .ending = R"(
Examples:
  polyak convert A.mtx A.npy
  polyak convert A.npy A.mtx.gz --precision single
  polyak convert data.h5:/A A.npy
  polyak convert table.csv table.svm --drop-nonfinite-rows
)",
          .written = {"OUT"}};
}

}  // namespace

int convert_command(const Words& words, Messages& messages) {
  DataOptions data;
  MessageOptions message;
  OptionSet options;
  options.add("Data", reading_options(), data);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
  messages.configure(message);
  const std::string& in = parsed.positionals[0];
  const std::string& out = parsed.positionals[1];
  check_output("OUT", out, {".npy", ".mtx", ".mtx.gz", ".csv", ".svm"});
  messages.status("converting " + in);
  with_memory_for(in, [&] { convert(in, out, data.read_options()); });
  messages.status("");
  if (out != "-" && !messages.quiet() && !messages.json()) print("Wrote " + out + "\n");
  return 0;
}

}  // namespace polyak::cli
