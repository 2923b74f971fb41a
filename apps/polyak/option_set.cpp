#include "option_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suggest.hpp"

namespace polyak::cli {
namespace {

std::vector<std::string> split_choices(const std::string& choices) {
  std::vector<std::string> out;
  for (std::size_t first = 0; first <= choices.size();) {
    const std::size_t bar = std::min(choices.find('|', first), choices.size());
    out.push_back(choices.substr(first, bar - first));
    first = bar + 1;
  }
  return out;
}

}  // namespace

std::string shown_default(bool) { return {}; }
std::string shown_default(double value) { return fmt::format("{:g}", value); }
std::string shown_default(Index value) { return std::to_string(value); }
std::string shown_default(std::uint64_t value) { return std::to_string(value); }
std::string shown_default(const std::string& value) { return value; }
std::string shown_default(const std::optional<std::string>& value) { return value.value_or(""); }

void check_choice(const std::string& option, const std::string& choices, const std::string& text) {
  if (choices.find('|') == std::string::npos) return;
  const auto words = split_choices(choices);
  if (std::find(words.begin(), words.end(), text) != words.end()) return;
  const std::string near = nearest(text, words);
  throw Error(ErrorCode::usage, {.what = "the value does not fit the option",
                                 .where = "--" + option,
                                 .found = "'" + text + "'",
                                 .expected = listed(words),
                                 .hint = near.empty() ? "" : "did you mean " + near + "?"});
}

const Option* OptionSet::find(const std::string& name) const {
  for (const OptionGroup& group : groups_)
    for (const Option& option : group.options)
      if (option.name == name) return &option;
  return nullptr;
}

std::vector<std::string> OptionSet::names() const {
  std::vector<std::string> out;
  for (const OptionGroup& group : groups_)
    for (const Option& option : group.options) out.push_back(option.name);
  return out;
}

}  // namespace polyak::cli
