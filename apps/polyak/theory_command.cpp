#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "theory_answer.hpp"

namespace polyak::cli {
namespace {

Usage usage() {
  return {.command = "theory",
          .positionals = {},
          .required = 0,
          .text = R"(Say what theory knows before anything is run: how large a batch must be, how
fast minibatch heavy ball then converges, and which step and momentum suit it.

Usage: polyak theory --decay NAME --rho RHO --kappa K --cols D [options]
       polyak theory --lambda-min L --lambda-max L --frobenius2 F --cols D
                     [options]
       polyak theory --matrix FILE [options]
)",
          .ending = R"(
Examples:
  polyak theory --decay algebraic --rho 1 --kappa 100 --cols 100 --batch 4735
  polyak theory --lambda-min 1 --lambda-max 50 --frobenius2 197 --cols 9 --json
  polyak theory --matrix A.npy --sampling uniform --batch 500
)"};
}

}  // namespace

int theory_command(const Words& words, Messages& messages) {
  TheoryRequest request;
  MessageOptions message;
  const OptionSet options = theory_option_set(request, message);
  const Parsed parsed = parse(words, options, usage());
  if (parsed.help) return print(help_text(usage(), options)), 0;
  messages.configure(message);
  check_theory(request, parsed.given);
  const TheoryFacts facts = theory_facts(request, messages);
  messages.status("computing");
  const nlohmann::ordered_json answer = theory_answer(request, facts);
  messages.status("");
  using Json = nlohmann::ordered_json;
  print(request.json ? answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                     : theory_text(request, facts, answer));
  return 0;
}

}  // namespace polyak::cli
