#pragma once

#include "kernels/base/registry.hpp"

namespace bombard {

/// What records the timeline; the CUDA part registers NVTX.
struct Profiler {
  void (*begin)(const char* name);
  void (*end)();
};

/// A named range on the profiler's timeline from construction to destruction. Its cost is
/// negligible when no profiler is attached.
class ProfilingRange {
 public:
  explicit ProfilingRange(const char* name) {
    for (const Profiler& profiler : registered<Profiler>()) profiler.begin(name);
  }
  ~ProfilingRange() {
    for (const Profiler& profiler : registered<Profiler>()) profiler.end();
  }
  ProfilingRange(const ProfilingRange&) = delete;
  ProfilingRange& operator=(const ProfilingRange&) = delete;
};

}  // namespace bombard
