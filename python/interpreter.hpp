#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

#include "bombard/errors.hpp"

namespace bombard::python {

/// Ctrl-C, in the thread that Python has for signals: the exception that its handler raises.
inline void raise_what_signals_ask_for() {
  const pybind11::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

/// call(), with the interpreter's lock free. Throws CannotRun in a process that was forked after a
/// call: OpenMP's threads stay behind in its parent, and the call would wait for ever.
template <class Call>
auto unlocked(const Call& call) {
  static const pid_t process = getpid();
  if (getpid() != process) {
    throw CannotRun(
        "this process was forked after bombard had computed in its parent, and the threads of a "
        "computation do not live on in a fork; start processes by "
        "multiprocessing.get_context(\"spawn\")");
  }
  const pybind11::gil_scoped_release released;
  return call();
}

}  // namespace bombard::python
