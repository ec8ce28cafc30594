#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include "bombard/errors.hpp"

namespace bombard::python {

/// This thread as Python knows it, while the interpreter's lock is free for others.
inline thread_local PyThreadState* without_lock = nullptr;

inline void free_lock() {
  without_lock = PyEval_SaveThread();
}

/// Takes the interpreter's lock again. If the interpreter has ended, Python would end this thread
/// instead by unwinding the stack, which nothing in between survives; so the thread waits for the
/// process to end. PyGILState_Ensure() is not for this: it looks for what the interpreter knew of
/// the thread, and crashes when that is gone.
inline void take_lock() {
  try {
    PyEval_RestoreThread(without_lock);
  } catch (const abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

/// Ctrl-C, within unlocked(), in the thread in which Python handles signals: throws the exception
/// that its handler raises.
inline void raise_what_signals_ask_for() {
  struct Locked {
    Locked() { take_lock(); }
    ~Locked() { free_lock(); }
  } const locked;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

/// The process that imported the module.
inline pid_t process_of_module = getpid();

/// call(), with the interpreter's lock free. Throws CannotRun in a process that was forked after
/// the import: threads and GPUs stay behind in its parent.
template <class Call>
auto unlocked(const Call& call) {
  if (getpid() != process_of_module) {
    throw CannotRun(
        "this process was forked after bombard had been imported, and neither threads nor GPUs "
        "live "
        "on in a fork; start processes by multiprocessing.get_context(\"spawn\")");
  }
  struct Unlocked {
    Unlocked() { free_lock(); }
    ~Unlocked() { take_lock(); }
  } const without;
  return call();
}

}  // namespace bombard::python
