#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/messages.hpp"

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

constexpr std::size_t width = 80;
constexpr std::size_t margin = 27;  // column where the sentences begin

// Breaks lines at spaces; indents every line but the first.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t column = margin;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find(' ', first), text.size());
    const bool fits = column + (last - first) < width;
    if (!out.empty()) out += fits ? " " : "\n" + std::string(margin, ' ');
    if (!fits) column = margin;
    out += text.substr(first, last - first);
    column += last - first + 1;
    first = last + 1;
  }
  return out;
}

// Too long to stand behind the name of the option.
bool is_long(const std::string& choices) { return choices.size() > 24; }

std::string sentence_of(const Option& option) {
  std::string text = option.sentence;
  if (is_long(option.value)) text += " One of: " + listed(split_choices(option.value)) + ".";
  if (!option.fallback.empty()) text += " [" + option.fallback + "]";
  return text;
}

std::string line_of(const Option& option) {
  std::string flag = "  --" + option.name;
  if (!option.is_switch()) flag += " " + (is_long(option.value) ? "NAME" : option.value);
  const std::string gap = flag.size() + 1 < margin ? std::string(margin - flag.size(), ' ')
                                                   : "\n" + std::string(margin, ' ');
  return flag + gap + wrapped(sentence_of(option)) + "\n";
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

std::string help_text(const Usage& usage, const OptionSet& options) {
  std::string out = usage.text;
  for (const OptionGroup& group : options.groups()) {
    out += "\n" + group.title + ":\n";
    for (const Option& option : group.options) out += line_of(option);
  }
  return out + "\nDefaults are in [brackets].\n" + usage.ending;
}

}  // namespace polyak::cli
