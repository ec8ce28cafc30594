#pragma once

namespace bombard {

/// Where a solver is to run.
struct DeviceChoice {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;  ///< of the GPU
};

/// Whether a solver runs on a GPU, which is then started and current for this thread. `automatic`
/// takes one when there is one and the processor alone would need longer (`cpu_seconds`) than a GPU
/// takes to start. Throws CannotRun when a GPU was asked for and there is none.
bool use_gpu(const DeviceChoice& choice, double cpu_seconds);

}  // namespace bombard
