#pragma once

// Keyword arguments of Python and the options of the library's table.

#include "polyak/options.hpp"
#include "python.hpp"

namespace polyak::python {

/// Sets the options named in `values`, with '_' in place of '-'; None means auto. What the table
/// does not allow is an Error usage; a name that is not in it is a Python TypeError.
SolveOptions options_of(const nb::dict& values);

/// The table as a list of dictionaries, and functions of names of methods, as members of the
/// module.
void define_options(nb::module_& module);

}  // namespace polyak::python
