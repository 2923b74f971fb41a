#include <fmt/format.h>

#include "command_line.hpp"

namespace polyak::cli {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t margin = 27;  // where sentences begin

// Breaks at spaces; every line but the first is indented.
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

// A long list of choices stands below the options, with a line for each.
bool is_long(const std::string& value) { return value.size() > 24; }

std::string sentence_of(const Option& option) {
  std::string text = option.sentence;
  if (is_long(option.value)) text += " See the list below.";
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

std::string help_text(const Usage& usage, const OptionSet& options) {
  std::string out = usage.text;
  for (const OptionGroup& group : options.groups()) {
    out += "\n" + group.title + ":\n";
    for (const Option& option : group.options) out += line_of(option);
  }
  return out + "\nThe default stands in [brackets].\n" + usage.ending;
}

}  // namespace polyak::cli
