#pragma once

// The options of a command: several of the library's tables, each with the
// struct it fills, seen as one list. Flags, config file and help all read it.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "polyak/option_table.hpp"

namespace polyak::cli {

/// One option, whatever struct it fills.
struct Option {
  std::string name;
  std::string value;  ///< what stands for the value in help; empty for a switch
  std::string sentence;
  std::string fallback;  ///< what holds when it is not given; may be empty
  unsigned needs = 0;    ///< as in OptionRecord
  std::function<void(const std::string&)> set;
  FileUse file = FileUse::none;
  /// What it holds now, where that is a text.
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

/// Error usage for a value that is not among "a|b|c"; names the nearest one.
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
  /// nullptr when there is none of that name.
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
    return {record.name, record.value, record.sentence, fallback, record.needs,
            set,         record.file,  text};
  }

  static std::optional<std::string> text_of(const std::string& value) { return value; }
  static std::optional<std::string> text_of(const std::optional<std::string>& value) { return value; }
  template <class Other>
  static std::optional<std::string> text_of(const Other&) {
    return std::nullopt;
  }

  std::vector<OptionGroup> groups_;
};

}  // namespace polyak::cli
