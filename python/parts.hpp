#pragma once

#include <pybind11/pybind11.h>

namespace bombard::python {

/// bombard.InputError, a ValueError, and bombard.CannotRun, a RuntimeError: those of the library,
/// with its messages in the words of Python.
void add_exceptions(pybind11::module_& module);

/// The functions that bombard/solve.py calls.
void add_solvers(pybind11::module_& module);

/// What bombard/storms.py asks of tables that come by Arrow's interface.
void add_tables(pybind11::module_& module);

}  // namespace bombard::python
