#pragma once

#include <cxxabi.h>
#include <omp.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/cores.hpp"

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

/// Otherwise OpenMP would start any number of threads that its variable names.
inline void settle_threads() {
  thread_local bool settled = false;
  if (!std::exchange(settled, true)) omp_set_num_threads(default_threads());
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
  settle_threads();
  struct Unlocked {
    Unlocked() { free_lock(); }
    ~Unlocked() { take_lock(); }
  } const without;
  return call();
}

}  // namespace bombard::python
