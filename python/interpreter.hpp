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

/// The interpreter's lock is free while this lives. Throws CannotRun in a process that was forked
/// after a call: OpenMP's threads stay behind in its parent, and the call would wait for ever.
class Unlocked {
 public:
  Unlocked() {
    static const pid_t process = getpid();
    if (getpid() == process) return;
    throw CannotRun(
        "this process was forked after bombard had computed in its parent, and the threads of a "
        "computation do not live on in a fork; start processes by "
        "multiprocessing.get_context(\"spawn\")");
  }

 private:
  pybind11::gil_scoped_release released_;
};

}  // namespace bombard::python
