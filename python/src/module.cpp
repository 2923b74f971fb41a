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

NB_MODULE(_core_checked, module) {
  namespace python = polyak::python;
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

// What Python calls to import the module. nanobind's objects belong to the main interpreter, and
// the functions PyGILState_… by which threads take the GIL know that one only: in another they
// would wait for ever.
extern "C" NB_EXPORT PyObject* PyInit__core() {
  const auto id = PyInterpreterState_GetID(PyInterpreterState_Get());
  if (id == 0) return PyInit__core_checked();
  const std::string text =
      "polyak works in the main interpreter of Python only (this is subinterpreter " +
      std::to_string(id) + ")";
  PyErr_SetString(PyExc_ImportError, text.c_str());
  return nullptr;
}
