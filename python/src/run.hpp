#pragma once

// A solve that Python has started: the GIL is released meanwhile, Ctrl-C ends it, and functions
// of Python are called in the thread that started it.

#include <memory>

#include "polyak/solve.hpp"
#include "python.hpp"

namespace polyak::python {

/// What a run calls; each may be None.
struct Callbacks {
  nb::object measured = nb::none();  ///< measured(x, values) after each measurement
  nb::object progress = nb::none();  ///< progress(iteration, row_products, residual) now and then
};

/// The report, and the Python exception that ended the run early, if one did.
struct Ended {
  std::shared_ptr<const Report> report;
  std::shared_ptr<nb::python_error> raised;
};

/// Called with the GIL. Errors of the library are thrown; an exception of a callback and
/// KeyboardInterrupt end the run and are in the result, with the best x so far.
Ended run_solve(Problem problem, SolveOptions options, Callbacks callbacks);

/// Lets the process end while a run that was interrupted is still inside a long step.
void define_runs(nb::module_& module);

}  // namespace polyak::python
