#pragma once

/// \file option_table.hpp
/// An option is declared once, as one record: name, field, bounds, unit and
/// description. Flags, config file, validation, help and the reference page are
/// generated from it.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "polyak/error.hpp"
#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Whether the value of an option is a file name, and how the file is used.
enum class FileUse { none, read, written };

/// One option, which sets one field of a `Target`.
template <class Target>
struct OptionRecord {
  using Field =
      std::variant<double Target::*, std::optional<double> Target::*, Index Target::*,
                   std::optional<Index> Target::*, std::uint64_t Target::*, std::string Target::*,
                   std::optional<std::string> Target::*, bool Target::*>;

  std::string name;      ///< without dashes: "max-iterations"
  Field field;           ///< the field it sets; an optional field also accepts "auto"
  std::string value;     ///< placeholder of the value in help: "N", "SECONDS", "a|b|c"
  std::string sentence;  ///< its description, for help and the reference page
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool open_below = false;  ///< lowest itself is not allowed
  bool open_above = false;  ///< highest itself is not allowed
  unsigned needs = 0;       ///< traits a method must have to use the option
  FileUse file = FileUse::none;
};

/// How messages of the library name an option, and an option with a value.
using OptionNaming = std::string (*)(std::string_view name, std::string_view value);

/// The name of an option in a message: "step_size", and with a value "parameters = paper", unless
/// set_option_naming has changed it. `name` is that of the table: "step-size".
std::string option_name(std::string_view name, std::string_view value = {});

/// For a process with another form of options, such as the program ("--step-size", "--parameters
/// paper"); null: the form above. Not while other threads use the library.
void set_option_naming(OptionNaming naming);

namespace detail {

// A leading '+' is removed, unless another sign follows: "+-1" is not a number.
inline std::string_view without_plus(std::string_view text) {
  const bool two_signs = text.size() > 1 && (text[1] == '+' || text[1] == '-');
  if (text.starts_with('+') && !two_signs) text.remove_prefix(1);
  return text;
}

inline bool parse_into(std::string_view text, double& out) {
  text = without_plus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(out);
}

template <class Integer>
bool parse_integer(std::string_view text, Integer& out) {
  text = without_plus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc{} && end == text.data() + text.size()) return true;
  double value = 0;  // 1e6 is a whole number too; from 2^53 on the text may have been rounded
  if (!parse_into(text, value) || value != std::floor(value) || std::abs(value) >= 0x1p53)
    return false;
  if (value < 0 && std::is_unsigned_v<Integer>) return false;
  out = static_cast<Integer>(value);
  return true;
}
inline bool parse_into(std::string_view text, Index& out) { return parse_integer(text, out); }
inline bool parse_into(std::string_view text, std::uint64_t& out) {
  return parse_integer(text, out);
}
inline bool parse_into(std::string_view text, bool& out) {
  out = text == "true";
  return text == "true" || text == "false";
}

inline bool among(std::string_view text, std::string_view choices) {
  while (true) {
    const auto bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}
inline bool is_choice(std::string_view value) { return value.find('|') != std::string_view::npos; }

inline std::string shown(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

template <class Target>
std::string range(const OptionRecord<Target>& record) {
  const bool below = std::isfinite(record.lowest), above = std::isfinite(record.highest);
  std::string text;
  if (below) text += (record.open_below ? "above " : "at least ") + shown(record.lowest);
  if (below && above) text += " and ";
  if (above) text += (record.open_above ? "below " : "at most ") + shown(record.highest);
  return text;
}

template <class Target>
[[noreturn]] void refuse(const OptionRecord<Target>& record, std::string_view text,
                         const std::string& expected) {
  throw Error(ErrorCode::usage, {.what = "the value does not fit the option",
                                 .where = option_name(record.name),
                                 .found = "'" + std::string(text) + "'",
                                 .expected = expected});
}

template <class Target, class Number>
void set_number(const OptionRecord<Target>& record, std::string_view text, Number& out) {
  Number value{};
  const bool whole = !std::is_same_v<Number, double>;
  const std::string kind = whole ? "a whole number" : "a number";
  const std::string limits = range(record);
  const std::string joint = limits.starts_with("at ") ? " of " : " ";
  const std::string expected = limits.empty() ? kind : kind + joint + limits;
  if (!parse_into(text, value)) refuse(record, text, expected);
  const auto v = static_cast<double>(value);
  if (v < record.lowest || v > record.highest || (record.open_below && v == record.lowest) ||
      (record.open_above && v == record.highest)) {
    refuse(record, text, expected);
  }
  out = value;
}

template <class Target>
void set_field(const OptionRecord<Target>& record, std::string_view text, double& out) {
  set_number(record, text, out);
}
template <class Target>
void set_field(const OptionRecord<Target>& record, std::string_view text, Index& out) {
  set_number(record, text, out);
}
template <class Target>
void set_field(const OptionRecord<Target>& record, std::string_view text, std::uint64_t& out) {
  set_number(record, text, out);
}
template <class Target>
void set_field(const OptionRecord<Target>& record, std::string_view text, bool& out) {
  if (!parse_into(text, out)) refuse(record, text, "true or false");
}
template <class Target>
void set_field(const OptionRecord<Target>& record, std::string_view text, std::string& out) {
  if (is_choice(record.value) && !among(text, record.value)) refuse(record, text, record.value);
  out = text;
}
template <class Target, class Value>
void set_field(const OptionRecord<Target>& record, std::string_view text,
               std::optional<Value>& out) {
  if (text == "auto" && !std::is_same_v<Value, std::string>) {
    out.reset();
    return;
  }
  Value value{};
  set_field(record, text, value);
  out = std::move(value);
}

}  // namespace detail

/// Sets the field from text. Error usage names the option, its value and the allowed range.
template <class Target>
void set_option(const OptionRecord<Target>& record, Target& target, std::string_view text) {
  std::visit([&](auto member) { detail::set_field(record, text, target.*member); }, record.field);
}

/// The record with this name, or nullptr.
template <class Target>
const OptionRecord<Target>* find_option(std::span<const OptionRecord<Target>> table,
                                        std::string_view name) {
  for (const auto& record : table)
    if (record.name == name) return &record;
  return nullptr;
}

}  // namespace polyak
#pragma GCC visibility pop
