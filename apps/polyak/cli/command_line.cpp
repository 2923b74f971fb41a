#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>

#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"

namespace polyak::cli {
namespace {

struct Setting {
  const Option* option;
  std::string text;
};

// Suggests the nearest option name; `dashes` stands before it.
[[noreturn]] void refuse_unknown(const std::string& where, const std::string& name,
                                 const std::string& what, const std::string& dashes,
                                 const OptionSet& options, const std::string& command) {
  const std::string near = nearest(name, options.names());
  refuse_usage(where, what, "",
               near.empty() || near == name ? "see polyak " + command + " --help"
                                            : "did you mean " + dashes + near + "?");
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
        positionals.push_back(word);
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
    if (twice) refuse_usage(flag, "the option is given twice", "", "leave one of them out");
    settings.push_back(
        {option, equals == std::string::npos ? value_of(*option) : word.substr(equals + 1)});
  }

  std::string value_of(const Option& option) {
    if (option.is_switch()) return "true";
    const bool has_value = next_ < words_.size() && !words_[next_].starts_with("--");
    if (!has_value) refuse_usage("--" + option.name, "the option needs a value", option.value, "");
    return words_[next_++];
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

void check_positionals(const std::vector<std::string>& found, const std::set<std::string>& given,
                       const Usage& usage) {
  if (found.size() > usage.positionals.size() && !given.contains(usage.several_with))
    refuse_usage("'" + found[usage.positionals.size()] + "'",
                 "one argument too many for polyak " + usage.command, "",
                 "see polyak " + usage.command + " --help");
  if (found.size() >= usage.required) return;
  refuse_usage(usage.command, usage.positionals[found.size()] + " is missing", "",
               "see polyak " + usage.command + " --help");
}

std::string read_whole(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (text.bad()) throw std::bad_alloc();  // else a part of the file would be the whole
  if (errno == 0 || file.good()) return text.str();
  throw Error(ErrorCode::no_input, {.what = "the config file cannot be read",
                                    .where = path,
                                    .found = std::generic_category().message(errno),
                                    .expected = "a TOML file"});
}

toml::table parse_toml(const std::string& path) {
  const std::string text = read_whole(path);
  try {
    // The library takes memory that is refused for a wrong number: a text that is wrong is so
    // twice.
    try {
      return toml::parse(text, path);
    } catch (const toml::parse_error&) {
      return toml::parse(text, path);
    }
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::usage, {.what = "the config file is not valid TOML",
                                   .where = fmt::format("{}:{}", path, error.source().begin.line),
                                   .found = std::string(error.description()),
                                   .expected = "lines like tol = 1e-10"});
  }
}

// The text that the command line would have.
std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  throw Error(ErrorCode::usage, {.what = "an option takes one value",
                                 .where = where,
                                 .found = node.is_table() ? "a table" : "a list or a date",
                                 .expected = "a text, a number, true or false"});
}

void set_at(const Option& option, const std::string& text, const std::string& where) {
  try {
    option.set(text);
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    parts.where = where;
    throw Error(error.code(), std::move(parts));
  }
}

}  // namespace

void refuse_usage(const std::string& where, const std::string& what, const std::string& expected,
                  const std::string& hint) {
  throw Error(ErrorCode::usage,
              {.what = what, .where = where, .found = {}, .expected = expected, .hint = hint});
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
  check_positionals(reader.positionals, parsed.given, usage);
  check_files(reader.positionals, options, usage);
  parsed.positionals = std::move(reader.positionals);
  return parsed;
}

std::set<std::string> apply_config(const std::string& path, const OptionSet& options,
                                   const std::string& command) {
  std::set<std::string> given;
  const toml::table table = parse_toml(path);
  for (const auto& [key, node] : table) {
    std::string name(key.str());
    std::replace(name.begin(), name.end(), '_', '-');
    const std::string where = fmt::format("{}:{}: {}", path, key.source().begin.line, key.str());
    const Option* option = name == "config" ? nullptr : options.find(name);
    if (option == nullptr)
      refuse_unknown(where, name, "there is no such option", "", options, command);
    if (!given.insert(name).second)
      throw Error(ErrorCode::usage, {.what = "the option is given twice", .where = where});
    set_at(*option, text_of(node, where), where);
  }
  return given;
}

}  // namespace polyak::cli
