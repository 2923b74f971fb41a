#include "config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "command_line.hpp"

namespace polyak::cli {
namespace {

std::string read_whole(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (errno == 0 || file.good()) return text.str();
  throw Error(ErrorCode::no_input, {.what = "the config file cannot be read",
                                    .where = path,
                                    .found = std::generic_category().message(errno),
                                    .expected = "a TOML file"});
}

toml::table parse_toml(const std::string& path) {
  const std::string text = read_whole(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::usage, {.what = "the config file is not valid TOML",
                                   .where = fmt::format("{}:{}", path, error.source().begin.line),
                                   .found = std::string(error.description()),
                                   .expected = "lines like tol = 1e-10"});
  }
}

// The same text that would stand on the command line.
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
