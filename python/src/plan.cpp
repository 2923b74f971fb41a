#include "plan.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "beside.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "polyak/memory.hpp"
#include "polyak/plan.hpp"
#include "polyak/shape.hpp"

namespace polyak::python {
namespace {

std::string plan(const Input& input, const std::optional<Numbers>& b, const nb::dict& options) {
  const SolveOptions chosen = options_of(options);
  const Array rhs = b ? array_of(*b) : input.b;
  return beside([A = input.A, rhs, chosen](const std::atomic<bool>&) {
    return to_json(make_plan_report(A, rhs, chosen));
  });
}

double bytes(const Input& input, Index right_hand_sides, const nb::dict& options) {
  ProblemShape shape;
  shape.rows = input.A->rows();
  shape.cols = input.A->cols();
  shape.right_hand_sides = right_hand_sides;
  shape.nonzeros = input.A->nonzeros();
  shape.bytes = input.A->bytes();
  return solve_bytes(shape, options_of(options));
}

}  // namespace

void define_plan(nb::module_& module) {
  module.def("plan_options", &plan_option_names);
  module.def("plan", &plan, nb::arg("A"), nb::arg("b").none(), nb::arg("options"));
  module.def("solve_bytes", &bytes, nb::arg("A"), nb::arg("right_hand_sides"), nb::arg("options"));
}

}  // namespace polyak::python
