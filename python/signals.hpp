#pragma once

#include <pybind11/pybind11.h>

namespace bombard::python {

/// Ctrl-C, in the thread that Python has for signals: the exception that its handler raises.
inline void raise_what_signals_ask_for() {
  const pybind11::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace bombard::python
