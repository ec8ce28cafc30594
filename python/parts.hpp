#pragma once

#include <pybind11/pybind11.h>

namespace bombard::python {

/// bombard.InputError, a ValueError, and bombard.CannotRun, a RuntimeError: the library's
/// exceptions, with its messages.
void add_exceptions(pybind11::module_& module);

/// The functions that bombard/solve.py calls.
void add_solvers(pybind11::module_& module);

}  // namespace bombard::python
