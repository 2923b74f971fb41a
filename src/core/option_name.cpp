// How messages name options. The library does not depend on the program, whose options have dashes.

#include <algorithm>
#include <atomic>

#include "polyak/option_table.hpp"

namespace polyak {
namespace {

std::string field_name(std::string_view name, std::string_view value) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return value.empty() ? out : out + " = " + std::string(value);
}

std::atomic<OptionNaming> naming = field_name;

}  // namespace

std::string option_name(std::string_view name, std::string_view value) {
  return naming.load()(name, value);
}

void set_option_naming(OptionNaming changed) { naming = changed ? changed : field_name; }

}  // namespace polyak
