#include "solve.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <limits>
#include <optional>
#include <string>

#include "inputs.hpp"
#include "options.hpp"
#include "polyak/error.hpp"
#include "run.hpp"
#include "solve/report/fields.hpp"

namespace polyak::python {
using namespace polyak::internal;

namespace {

/// A report, for polyak/_report.py.
struct Result {
  std::shared_ptr<const Report> report;
};

nb::object x_of(const Result& result) {
  const Array& x = result.report->x;
  std::vector<double> values;
  values.reserve(to_size(x.view().size()));
  for (Index j = 0; j < x.rows(); ++j)
    values.insert(values.end(), x.view().row(j), x.view().row(j) + x.cols());
  return new_array(values.data(), {to_size(x.rows()), to_size(x.cols())});
}

// One array per column of the history; NaN where nothing was measured.
nb::dict history_of(const Result& result) {
  const std::vector<Measurement>& lines = result.report->history;
  nb::dict out;
  const auto column = [&]<class Value>(const char* name, auto value, Value) {
    std::vector<Value> values;
    for (const Measurement& m : lines) values.push_back(value(m));
    out[name] = new_array(values.data(), {values.size()});
  };
  const auto number = [&](const char* name, auto member) {
    column(
        name,
        [&](const Measurement& m) -> double {
          if constexpr (requires { (m.*member).has_value(); })
            return (m.*member).value_or(std::numeric_limits<double>::quiet_NaN());
          else
            return m.*member;
        },
        0.0);
  };
  column(
      "iteration", [](const Measurement& m) { return m.iteration; }, Index{0});
  column(
      "row_products", [](const Measurement& m) { return m.row_products; }, Index{0});
  number("seconds", &Measurement::seconds);
  number("residual_norm", &Measurement::residual_norm);
  number("gradient_norm", &Measurement::gradient_norm);
  number("relative_residual", &Measurement::relative_residual);
  number("relative_gradient", &Measurement::relative_gradient);
  number("error", &Measurement::error);
  return out;
}

[[noreturn]] void refuse_shape(const char* name, const Numbers& numbers, Index expected) {
  std::string found;
  for (std::size_t k = 0; k < numbers.ndim(); ++k)
    found += (k > 0 ? ", " : "") + std::to_string(numbers.shape(k));
  if (numbers.ndim() == 1) found += ",";
  throw Error(ErrorCode::bad_data, {.what = "the array has another shape",
                                    .where = name,
                                    .found = "(" + found + ")",
                                    .expected = "(" + std::to_string(expected) + ",)"});
}

// What the problem has beside A and b; each may be None or missing. `expected` is the number of
// rows: numbers in another shape are not taken as a vector, and none at all are not None.
class Parts {
 public:
  explicit Parts(const nb::dict& values) : values_(values) {}

  Array array(const char* name, Index expected) const {
    if (!has(name)) return {};
    const auto numbers = nb::cast<Numbers>(values_[name]);
    if (numbers.ndim() > 2 || (numbers.size() == 0 && expected > 0))
      refuse_shape(name, numbers, expected);
    return array_of(numbers);
  }
  std::vector<double> vector(const char* name, Index expected) const {
    if (!has(name)) return {};
    const auto numbers = nb::cast<Numbers>(values_[name]);
    const bool one_column = numbers.ndim() == 1 || (numbers.ndim() == 2 && numbers.shape(1) == 1);
    if (!one_column || (numbers.size() == 0 && expected > 0)) refuse_shape(name, numbers, expected);
    return vector_of(numbers);
  }
  double number(const char* name) const {
    return has(name) ? nb::cast<double>(values_[name]) : 0.0;
  }
  bool flag(const char* name) const { return has(name) && nb::cast<bool>(values_[name]); }
  nb::object object(const char* name) const {
    return has(name) ? nb::object(values_[name]) : nb::none();
  }

 private:
  bool has(const char* name) const {
    return values_.contains(name) && !nb::object(values_[name]).is_none();
  }
  const nb::dict& values_;
};

ProblemData data_of(const Input& input, const std::optional<Numbers>& b, const Parts& parts) {
  const Index n = input.A->rows(), d = input.A->cols();
  const bool intercept = parts.flag("intercept");
  const Index unknowns = d + (intercept ? 1 : 0);
  return {.A = input.A,
          .b = b ? array_of(*b) : input.b,
          .weights = parts.vector("weights", n),
          .ridge = parts.number("ridge"),
          .ridge_factors = parts.vector("ridge_factors", d),
          .intercept = intercept,
          .lower = parts.vector("lower", d),
          .upper = parts.vector("upper", d),
          .x0 = parts.array("x0", unknowns),
          .reference = parts.array("reference", unknowns)};
}

std::vector<std::string> report_fields() {
  std::vector<std::string> out;
  Fields<Report>::visit([&]<class Member, class... Roles>(const char* name, Member, Roles...) {
    if (!has_role<SavedOnly, Roles...>) out.emplace_back(name);
  });
  out.emplace_back("version");
  return out;
}

// Raises the Python exception that ended a run, with the result as an attribute.
[[noreturn]] void raise(const Ended& ended) {
  nb::object raised = nb::borrow(ended.raised->value());
  try {
    raised.attr("_polyak_result") = nb::cast(Result{ended.report});
  } catch (nb::python_error&) {  // an exception with fixed attributes: without the result
  }
  throw *ended.raised;
}

Result solve_python(const Input& input, const std::optional<Numbers>& b, const nb::dict& parts,
                    const nb::dict& options) {
  const Parts problem_parts(parts);
  SolveOptions chosen = options_of(options);
  chosen.probabilities = problem_parts.vector("probabilities", input.A->rows());
  Callbacks callbacks{problem_parts.object("measured"), problem_parts.object("progress")};
  const Ended ended =
      run_solve(Problem(data_of(input, b, problem_parts)), std::move(chosen), std::move(callbacks));
  if (ended.raised) raise(ended);
  return {ended.report};
}

}  // namespace

void define_solve(nb::module_& module) {
  nb::class_<Result>(module, "Result", "The report of a solve, as C++ holds it.")
      .def_prop_ro("status", [](const Result& r) { return to_string(r.report->status); })
      .def_prop_ro("quiet",
                   [](const Result& r) {
                     return r.report->status == Status::converged && r.report->warnings.empty();
                   })
      .def_prop_ro("reason", [](const Result& r) { return r.report->reason; })
      .def_prop_ro("warnings", [](const Result& r) { return r.report->warnings; })
      .def_prop_ro("x", &x_of)
      .def_prop_ro("history", &history_of)
      .def("to_json", [](const Result& r) { return to_json(*r.report); });
  module.def("report_fields", &report_fields, "The fields that to_json may have.");
  module.def("solve", &solve_python, nb::arg("A"), nb::arg("b").none(), nb::arg("parts"),
             nb::arg("options"));
}

}  // namespace polyak::python
