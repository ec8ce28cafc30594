#pragma once

namespace bombard {

/// A named range on the profiler's timeline (NVTX, domain "bombard") from construction to
/// destruction. Costs nothing to speak of when no profiler listens; does nothing in a build without
/// CUDA.
class ProfilingRange {
 public:
  explicit ProfilingRange(const char* name);
  ~ProfilingRange();
  ProfilingRange(const ProfilingRange&) = delete;
  ProfilingRange& operator=(const ProfilingRange&) = delete;
};

}  // namespace bombard
