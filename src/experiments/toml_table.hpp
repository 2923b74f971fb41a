#pragma once

// A TOML table read with care: every value is asked for by name and kind, and
// what nobody asked for is an error that tells its line.

// As headers only: the library then links nothing more.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::experiments {

class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file);

  bool has(const std::string& key) const { return table_.contains(key); }
  std::string text(const std::string& key, const std::string& fallback = {});
  std::string needed_text(const std::string& key);
  double number(const std::string& key, double fallback);
  Index whole(const std::string& key, Index fallback, Index least);
  bool flag(const std::string& key, bool fallback);
  /// One value or a list of them.
  std::vector<std::string> texts(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  /// An array of tables; empty when it is not there.
  std::vector<TomlTable> tables(const std::string& key);
  TomlTable table(const std::string& key);

  /// The value as it would stand on a command line, for whoever parses it.
  std::string as_text(const std::string& key);
  std::vector<std::string> unread() const;
  /// Error usage for a key nobody asked for.
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

}  // namespace polyak::experiments
