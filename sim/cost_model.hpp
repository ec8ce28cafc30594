#pragma once

#include "sim/engines/engines.hpp"
#include "sim/workload.hpp"

namespace bombard {

/// How quick the processor is with all threads that a run may use, in multiples of one thread of
/// the one on which costs were measured (engines.cpp).
struct ProcessorSpeed {
  double interactions = 1;  ///< of direct engines
  double passes = 1;        ///< of the fast engines' over a layer
  double one_thread = 1;    ///< of interactions by the reference, which has no more

  /// How much quicker it is with interactions than with passes.
  double of_interactions_to_passes() const { return interactions / passes; }
};

/// What so many threads (0: all cores) of that processor would be: known without measuring.
ProcessorSpeed typical_speed(int threads);

/// Of this processor: runs small workloads, some 10 ms, once for each number of threads in a
/// process. Threads that ask at the same time wait for each other.
const ProcessorSpeed& measured_speed(int threads);

/// Typical seconds of work for an engine, start-up of a device left out. Every share is taken to
/// count, as in edition 2.
double estimated_seconds(const EngineEntry& engine, const Workload& workload,
                         const ProcessorSpeed& speed);

}  // namespace bombard
