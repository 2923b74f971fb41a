#include "experiments/toml_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "polyak/error.hpp"

namespace polyak::experiments::internal {
namespace {

std::string found(const toml::node* node) {
  if (node == nullptr) return "nothing";
  if (const auto* text = node->as_string()) return "'" + text->get() + "'";
  if (const auto* whole = node->as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node->as_floating_point()) return fmt::format("{}", number->get());
  if (node->is_boolean()) return "true or false";
  return node->is_table() ? "a table" : node->is_array() ? "a list" : "a date";
}

bool finite_number(const toml::node& node, double& out) {
  if (const auto* whole = node.as_integer())
    out = static_cast<double>(whole->get());
  else if (const auto* number = node.as_floating_point())
    out = number->get();
  else
    return false;
  return std::isfinite(out);
}

}  // namespace

TomlTable::TomlTable(const toml::table& table, std::string file)
    : table_(table), file_(std::move(file)) {}

const toml::node* TomlTable::find(const std::string& key) {
  read_.insert(key);
  return table_.get(key);
}

std::string TomlTable::where() const {
  const auto line = table_.source().begin.line;
  return line > 1 ? fmt::format("{}:{}", file_, line) : file_;
}

std::string TomlTable::where(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return node ? fmt::format("{}:{}: {}", file_, node->source().begin.line, key) : where();
}

void TomlTable::refuse(const std::string& key, const std::string& what,
                       const std::string& expected) const {
  const toml::node* node = table_.get(key);
  throw Error(ErrorCode::usage, {.what = what,
                                 .where = where(key),
                                 .found = node ? found(node) : "",
                                 .expected = expected,
                                 .hint = "see docs/reproduce.md for the keys of a spec"});
}

std::string TomlTable::text(const std::string& key, const std::string& fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  if (const auto* text = node->as_string()) return text->get();
  refuse(key, "this must be a text", "a text in quotes");
}

std::string TomlTable::required_text(const std::string& key) {
  const std::string out = text(key);
  if (out.empty()) refuse(key, "the text '" + key + "' is missing", "a text in quotes");
  return out;
}

double TomlTable::number(const std::string& key, double fallback) {
  const toml::node* node = find(key);
  double out = fallback;
  if (node == nullptr || finite_number(*node, out)) return out;
  refuse(key, "this must be a number", "a number");
}

Index TomlTable::integer(const std::string& key, Index fallback, Index minimum) {
  const double value = number(key, static_cast<double>(fallback));
  if (value == std::floor(value) && value >= static_cast<double>(minimum) && value < 0x1p53)
    return static_cast<Index>(value);
  refuse(key, "this must be a whole number", fmt::format("a whole number of at least {}", minimum));
}

bool TomlTable::flag(const std::string& key, bool fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  if (const auto* value = node->as_boolean()) return value->get();
  refuse(key, "this must be true or false", "true or false");
}

std::vector<std::string> TomlTable::texts(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array()) return {text(key)};
  std::vector<std::string> out;
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_string()) refuse(key, "this must be a list of texts", "texts in quotes");
    out.push_back(item.as_string()->get());
  }
  return out;
}

std::vector<double> TomlTable::numbers(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array()) return {number(key, 0.0)};
  std::vector<double> out;
  for (const toml::node& item : *node->as_array()) {
    out.push_back(0.0);
    if (!finite_number(item, out.back())) refuse(key, "this must be a list of numbers", "numbers");
  }
  return out;
}

std::vector<TomlTable> TomlTable::tables(const std::string& key) {
  const toml::node* node = find(key);
  std::vector<TomlTable> out;
  if (node == nullptr) return out;
  const auto* list = node->as_array();
  if (list == nullptr) refuse(key, "this must be a list of tables", "[[" + key + "]]");
  for (const toml::node& item : *list) {
    if (!item.is_table()) refuse(key, "this must be a list of tables", "[[" + key + "]]");
    out.emplace_back(*item.as_table(), file_);
  }
  return out;
}

TomlTable TomlTable::table(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_table())
    refuse(key, "the table '" + key + "' is missing", key + " = { … }");
  return {*node->as_table(), file_};
}

std::string TomlTable::as_text(const std::string& key) {
  const toml::node* node = find(key);
  if (const auto* text = node->as_string()) return text->get();
  if (const auto* whole = node->as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node->as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node->as_boolean()) return flag->get() ? "true" : "false";
  refuse(key, "this takes one value", "a text or a number");
}

std::vector<std::string> TomlTable::unread() const {
  std::vector<std::string> out;
  for (const auto& [key, node] : table_)
    if (!read_.contains(std::string(key.str()))) out.emplace_back(key.str());
  return out;
}

void TomlTable::finish() const {
  const auto left = unread();
  if (left.empty()) return;
  std::string known;
  for (const std::string& key : read_) known += (known.empty() ? "" : ", ") + key;
  throw Error(ErrorCode::usage, {.what = "unknown key in a spec",
                                 .where = where(left[0]),
                                 .found = {},
                                 .expected = "one of " + known});
}

}  // namespace polyak::experiments::internal
