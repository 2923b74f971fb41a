#pragma once

// A TOML table with checks: every value is read by name and type, and a key that is not read is
// an error that names its line.

// Header-only, so that nothing more has to be linked.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::experiments::internal {

class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file);

  bool has(const std::string& key) const { return table_.contains(key); }
  std::string text(const std::string& key, const std::string& fallback = {});
  std::string required_text(const std::string& key);
  double number(const std::string& key, double fallback);
  Index integer(const std::string& key, Index fallback, Index minimum);
  bool flag(const std::string& key, bool fallback);
  /// One value or a list.
  std::vector<std::string> texts(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  /// An array of tables; empty if absent.
  std::vector<TomlTable> tables(const std::string& key);
  TomlTable table(const std::string& key);

  /// The value as text, as it would be on the command line.
  std::string as_text(const std::string& key);
  std::vector<std::string> unread() const;
  /// Error usage if there is a key that was not read.
  void finish() const;

  std::string where() const;
  std::string where(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& what,
                           const std::string& expected) const;

 private:
  const toml::node* find(const std::string& key);

  const toml::table& table_;
  std::string file_;
  std::set<std::string> read_;
};

}  // namespace polyak::experiments::internal
