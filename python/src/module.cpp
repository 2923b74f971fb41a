// The extension module polyak._core. The Python files of the package build what users see on it.

#include <string>

#include "errors.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "parallel_products.hpp"
#include "plan.hpp"
#include "polyak/blas.hpp"
#include "polyak/version.hpp"
#include "reproduce.hpp"
#include "run.hpp"
#include "solve.hpp"
#include "theory.hpp"
#include "tomography.hpp"

namespace {

// The thread of a run takes the GIL back by the functions PyGILState_…, which know the main
// interpreter only: in another one this would wait for ever.
void check_interpreter() {
  const auto id = PyInterpreterState_GetID(PyInterpreterState_Get());
  if (id == 0) return;
  const std::string text =
      "polyak works in the main interpreter of Python only (this is subinterpreter " +
      std::to_string(id) + ")";
  throw nanobind::import_error(text.c_str());
}

}  // namespace

NB_MODULE(_core, module) {
  namespace python = polyak::python;
  check_interpreter();
  module.doc() = "The solver polyak, as a package of Python files uses it.";
  module.attr("version") = polyak::version_string;
  module.def("use_blas", [](const std::string& path, const std::string& prefix) {
    return polyak::use_blas_library({path, prefix});
  });
  python::define_errors(module);
  python::define_options(module);
  python::define_inputs(module);
  python::define_products(module);
  python::define_runs(module);
  python::define_solve(module);
  python::define_plan(module);
  python::define_theory(module);
  python::define_generate(module);
  python::define_tomography(module);
  python::define_reproduce(module);
}
