#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/registry.hpp"

/// The GPUs of this machine, for every program: one without the CUDA part sees none.
namespace bombard::cuda {

/// A GPU as the runtime describes it.
struct Device {
  int index;
  std::string name;
  int major, minor;     ///< compute capability
  std::int64_t memory;  ///< bytes
  int multiprocessors;
  std::int64_t l2_bytes;
  bool has_code;  ///< this build holds code that runs on it
};

/// The registration of the CUDA part, once.
struct CudaPart {
  std::vector<Device> (*devices)();
  int (*current_device)();
  void (*set_device)(int index);  ///< one that is there and has code
  /// "13.0", "3.0.1" and "75, 80, 90".
  std::string toolkit_version, cub_version, architectures;
};

/// The CUDA part of this program; null without.
const CudaPart* cuda_part();
/// Throws CannotRun without it.
void require_cuda_part();

/// Every GPU that this process can see; none without a driver, or without the CUDA part.
std::vector<Device> devices();

/// Makes the device current for this thread and starts it. Throws CannotRun, saying what there is,
/// when there is no such device or no code for it.
void use_device(int index);
/// The same for a device that has been started: takes no time.
void make_current(int index);

/// The current device of this thread is its caller's: while an object of this class lives, the
/// calls above may change it, and its end brings it back.
class CallersDevice {
 public:
  CallersDevice();
  ~CallersDevice();
  CallersDevice(const CallersDevice&) = delete;
  CallersDevice& operator=(const CallersDevice&) = delete;

  /// Asks which device is current, once, when another one is about to be: a driver that is not
  /// needed stays asleep.
  static void keep();

 private:
  CallersDevice* outer_;
  std::optional<int> device_;  ///< none: it has not changed
};

/// The time for the start of the driver and of a context: the shortest call on an H200 takes 295
/// ms, on its CPU 3 ms (docs/journal.md, Choosing a device).
inline constexpr double start_seconds = 0.3;

}  // namespace bombard::cuda

namespace bombard {

/// An operation on the current device that the CUDA part registered. Only where use_device() has
/// returned, so that there is one.
template <class Operation>
const Operation& on_device() {
  return registered<Operation>().at(0);
}

}  // namespace bombard
