#pragma once

// The options of a command. An OptionSet joins several option tables of the
// library and of the program, each with the struct it fills, into one list; the
// command line, the config file and the help text are read and made from it.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "polyak/option_table.hpp"

namespace polyak::cli {

/// One option, independent of the struct it fills.
struct Option {
  std::string name;
  std::string value;  ///< placeholder for the value in help; empty for a switch
  std::string sentence;
  std::string fallback;  ///< the default as text; may be empty
  unsigned needs = 0;    ///< as in OptionRecord
  std::function<void(const std::string&)> set;
  FileUse file = FileUse::none;
  /// The current value, if it is a text.
  std::function<std::optional<std::string>()> text;

  bool is_switch() const { return value.empty(); }
};

struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};

std::string shown_default(bool value);
std::string shown_default(double value);
std::string shown_default(Index value);
std::string shown_default(std::uint64_t value);
std::string shown_default(const std::string& value);
std::string shown_default(const std::optional<std::string>& value);
template <class Number>
std::string shown_default(const std::optional<Number>& value) {
  return value ? shown_default(*value) : "auto";
}

/// Error usage for a value that is not among "a|b|c"; names the nearest choice.
void check_choice(const std::string& option, const std::string& choices, const std::string& text);

class OptionSet {
 public:
  /// The target must outlive the set.
  template <class Record, class Target>
  void add(const std::string& title, const std::vector<Record>& table, Target& target) {
    OptionGroup group{title, {}};
    for (const Record& record : table) group.options.push_back(bind(record, target));
    groups_.push_back(std::move(group));
  }

  const std::vector<OptionGroup>& groups() const { return groups_; }
  /// nullptr if no option has this name.
  const Option* find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  template <class Target>
  static Option bind(const OptionRecord<Target>& record, Target& target) {
    const std::string fallback =
        std::visit([&](auto member) { return shown_default(target.*member); }, record.field);
    auto set = [record, &target](const std::string& text) {
      check_choice(record.name, record.value, text);
      set_option(record, target, text);
    };
    const auto text = [record, &target] {
      return std::visit([&](auto member) { return text_of(target.*member); }, record.field);
    };
    return {record.name,  record.value, record.sentence, fallback,
            record.needs, set,          record.file,     text};
  }

  static std::optional<std::string> text_of(const std::string& value) { return value; }
  static std::optional<std::string> text_of(const std::optional<std::string>& value) {
    return value;
  }
  template <class Other>
  static std::optional<std::string> text_of(const Other&) {
    return std::nullopt;
  }

  std::vector<OptionGroup> groups_;
};

/// The arguments and the help text of a command.
struct Usage {
  std::string command;                    ///< "solve"
  std::vector<std::string> positionals;   ///< their names in messages: "A", "b"
  std::size_t required = 0;               ///< the first so many must be given
  std::string text;                       ///< help before the options
  std::string ending;                     ///< help after the options: examples
  std::vector<std::string> written = {};  ///< the positionals that are output files
  std::vector<std::string> words = {};    ///< the positionals that are no files
  std::string several_with = {};  ///< with this option there may be any number of positionals
};

struct Parsed {
  std::vector<std::string> positionals;
  std::set<std::string> given;  ///< options set on the command line or in the config file
  bool help = false;            ///< --help was given; nothing else is parsed
};

/// Throws Error usage.
[[noreturn]] void refuse_usage(const std::string& where, const std::string& what,
                               const std::string& expected, const std::string& hint = {});

/// Sets the options from the file named by --config, then from the words: the
/// command line has precedence. Error usage for unknown options, wrong values, and
/// an output file that is also an input or another output.
Parsed parse(const std::vector<std::string>& words, const OptionSet& options, const Usage& usage);

/// Sets the options that a TOML file holds and returns their names. A key is named
/// as on the command line; underscores may replace dashes. Error usage for a key
/// that is no option of the command, no_input if the file cannot be read.
std::set<std::string> apply_config(const std::string& path, const OptionSet& options,
                                   const std::string& command);

/// The help text of a command.
std::string help_text(const Usage& usage, const OptionSet& options);

}  // namespace polyak::cli
