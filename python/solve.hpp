#pragma once

#include <pybind11/pybind11.h>

namespace bombard::python {

/// The functions that bombard/solve.py calls.
void add_solvers(pybind11::module_& module);

}  // namespace bombard::python
