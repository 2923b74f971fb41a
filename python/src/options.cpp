#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "polyak/methods.hpp"

namespace polyak::python {
namespace {

std::string python_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// The text that the table reads back as exactly this value.
std::string text_of(nb::handle value) {
  if (value.is_none()) return "auto";
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::string>(nb::str(value));
  if (PyIndex_Check(value.ptr()))
    return nb::cast<std::string>(nb::str(nb::steal(PyNumber_Index(value.ptr()))));
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return shortest(number);
}

bool accepts_none(const OptionRecord<SolveOptions>& record) {
  return std::visit(
      []<class Member>(Member) {
        return std::is_same_v<Member, std::optional<double> SolveOptions::*> ||
               std::is_same_v<Member, std::optional<Index> SolveOptions::*>;
      },
      record.field);
}

const OptionRecord<SolveOptions>* record_of(const std::string& name) {
  for (const auto& record : solve_options())
    if (python_name(record.name) == name) return &record;
  return nullptr;
}

void set(SolveOptions& options, const std::string& name, nb::handle value) {
  const auto* record = record_of(name);
  if (record == nullptr)
    throw nb::type_error(("solve() got an unexpected keyword argument '" + name + "'").c_str());
  if (value.is_none() && !accepts_none(*record)) return;  // None: the default
  set_option(*record, options, text_of(value));
}

nb::object default_of(const OptionRecord<SolveOptions>& record) {
  static const SolveOptions defaults;
  return std::visit(
      [&]<class Member>(Member member) -> nb::object {
        const auto& value = defaults.*member;
        if constexpr (requires { value.has_value(); })
          return value ? nb::cast(*value) : nb::none();
        else
          return nb::cast(value);
      },
      record.field);
}

std::string type_of(const OptionRecord<SolveOptions>& record) {
  return std::visit(
      []<class Member>(Member) -> std::string {
        const SolveOptions any;
        using Value = std::decay_t<decltype(any.*Member{})>;
        if constexpr (std::is_same_v<Value, bool>) return "bool";
        if constexpr (std::is_same_v<Value, double>) return "float";
        if constexpr (std::is_same_v<Value, std::optional<double>>) return "float | None";
        if constexpr (std::is_same_v<Value, std::optional<Index>>) return "int | None";
        if constexpr (std::is_integral_v<Value>) return "int";
        return "str";
      },
      record.field);
}

nb::list option_table() {
  nb::list out;
  for (const auto& record : solve_options()) {
    nb::dict line;
    line["name"] = python_name(record.name);
    line["type"] = type_of(record);
    line["default"] = default_of(record);
    line["choices"] = detail::is_choice(record.value) ? nb::cast(record.value) : nb::none();
    line["range"] = detail::range(record);
    line["sentence"] = record.sentence;
    out.append(line);
  }
  return out;
}

nb::list methods() {
  nb::list out;
  for (const MethodInfo& info : method_table()) {
    nb::dict line;
    line["name"] = info.name;
    line["summary"] = info.summary;
    line["sampled"] = info.sampled;
    line["bounds"] = (info.traits & trait::bounds) != 0;
    line["ridge"] = (info.traits & trait::ridge) != 0;
    out.append(line);
  }
  return out;
}

}  // namespace

SolveOptions options_of(const nb::dict& values) {
  SolveOptions out;
  for (const auto& [name, value] : values) set(out, nb::cast<std::string>(name), value);
  return out;
}

void define_options(nb::module_& module) {
  module.def("option_table", &option_table, "The options of solve(), one dictionary each.");
  module.def("methods", &methods, "The methods of solve(), one dictionary each.");
}

}  // namespace polyak::python
