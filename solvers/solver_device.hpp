#pragma once

#include "bombard/device.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "kernels/device/device.hpp"

namespace bombard {

/// Where a solver runs: on the CPU, or on a GPU, which is started and is current for this thread as
/// long as the object lives; then the caller's GPU is current again. Meanwhile arithmetic is the
/// usual one.
class SolverDevice {
 public:
  /// `automatic` takes a GPU when there is one and the CPU alone would need longer (`cpu_seconds`)
  /// than a GPU takes to start. Throws CannotRun if a GPU was asked for and there is none.
  SolverDevice(const Device& device, double cpu_seconds);
  bool is_gpu() const { return is_gpu_; }

 private:
  cuda::CallersDevice callers_;
  UsualArithmetic arithmetic_;
  bool is_gpu_;
};

}  // namespace bombard
