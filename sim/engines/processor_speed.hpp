#pragma once

#include "bombard/plan.hpp"

namespace bombard {

/// The speed of `threads` threads (0: all cores) of the processor on which costs were measured.
ProcessorSpeed typical_speed(int threads);

/// The speed of this processor: runs small workloads, some 10 ms, once for each number of threads
/// in a process. Threads that ask at the same time wait for each other.
const ProcessorSpeed& measured_speed(int threads);

}  // namespace bombard
