#include "command_line.hpp"

#include <algorithm>
#include <optional>

#include "config_file.hpp"
#include "file_roles.hpp"
#include "suggest.hpp"

namespace polyak::cli {
namespace {

struct Setting {
  const Option* option;
  std::string text;
};

[[noreturn]] void refuse(const std::string& where, const std::string& what,
                         const std::string& expected, const std::string& hint) {
  throw Error(ErrorCode::usage,
              {.what = what, .where = where, .found = {}, .expected = expected, .hint = hint});
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

class Reader {
 public:
  Reader(const std::vector<std::string>& words, const OptionSet& options, const Usage& usage)
      : words_(words), options_(options), usage_(usage) {}

  void read() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--" && !only_positionals_)
        only_positionals_ = true;
      else if (!only_positionals_ && is_option(word))
        read_option(word);
      else
        add_positional(word);
    }
  }

  std::vector<Setting> settings;
  std::vector<std::string> positionals;

 private:
  void read_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    const std::string name = flag.starts_with("--") ? flag.substr(2) : std::string();
    const Option* option = options_.find(name);
    if (option == nullptr)
      refuse_unknown(flag, name, "there is no such option", "--", options_, usage_.command);
    const bool twice = std::any_of(settings.begin(), settings.end(),
                                   [&](const Setting& s) { return s.option == option; });
    if (twice) refuse(flag, "the option is given twice", "", "leave one of them out");
    settings.push_back(
        {option, equals == std::string::npos ? value_of(*option) : word.substr(equals + 1)});
  }

  std::string value_of(const Option& option) {
    if (option.is_switch()) return "true";
    const bool there = next_ < words_.size() && !words_[next_].starts_with("--");
    if (!there) refuse("--" + option.name, "the option needs a value", option.value, "");
    return words_[next_++];
  }

  void add_positional(const std::string& word) {
    if (positionals.size() == usage_.positionals.size())
      refuse("'" + word + "'", "one argument too many for polyak " + usage_.command, "",
             "see polyak " + usage_.command + " --help");
    positionals.push_back(word);
  }

  const std::vector<std::string>& words_;
  const OptionSet& options_;
  const Usage& usage_;
  std::size_t next_ = 0;
  bool only_positionals_ = false;
};

bool asks_for_help(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

void require_positionals(const std::vector<std::string>& found, const Usage& usage) {
  if (found.size() >= usage.required) return;
  refuse(usage.command, usage.positionals[found.size()] + " is missing", "",
         "see polyak " + usage.command + " --help");
}

}  // namespace

void refuse_unknown(const std::string& where, const std::string& name, const std::string& what,
                    const std::string& dashes, const OptionSet& options,
                    const std::string& command) {
  const std::string near = nearest(name, options.names());
  refuse(where, what, "",
         near.empty() || near == name ? "see polyak " + command + " --help"
                                      : "did you mean " + dashes + near + "?");
}

Parsed parse(const std::vector<std::string>& words, const OptionSet& options, const Usage& usage) {
  Parsed parsed;
  parsed.help = asks_for_help(words);
  if (parsed.help) return parsed;
  Reader reader(words, options, usage);
  reader.read();
  for (const Setting& setting : reader.settings)
    if (setting.option->name == "config")
      parsed.given = apply_config(setting.text, options, usage.command);
  for (const Setting& setting : reader.settings) {
    setting.option->set(setting.text);
    parsed.given.insert(setting.option->name);
  }
  require_positionals(reader.positionals, usage);
  check_files(reader.positionals, options, usage);
  parsed.positionals = std::move(reader.positionals);
  return parsed;
}

}  // namespace polyak::cli
