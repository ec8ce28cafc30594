#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/registry.hpp"

/// The GPUs of this machine, for every program: one without the CUDA part finds none.
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

/// What the CUDA part registers, once.
struct CudaPart {
  std::vector<Device> (*devices)();
  /// The driver's context that is current in this thread, null if none is. Asking for it or setting
  /// it starts no GPU, unlike CUDA's own calls about the current device.
  void* (*current_context)();
  void (*set_context)(void* context) noexcept;
  void (*set_device)(int index);  ///< of a device that exists and has code; starts it
  /// "13.0", "3.0.1" and "75, 80, 90".
  std::string toolkit_version, cub_version, architectures;
};

/// The CUDA part of this program; null if it has none.
const CudaPart* cuda_part();
/// Throws CannotRun if the program has no CUDA part.
void require_cuda_part();

/// Every GPU that this process can see; none without a driver, or without the CUDA part.
std::vector<Device> devices();

/// Makes the device current for this thread and starts it. Throws CannotRun, with a message that
/// says what there is, if there is no such device or no code for it.
void use_device(int index);
/// The same for a device that has been started already, which takes no time.
void make_current(int index);

/// The current device of this thread belongs to the caller: while an object of this class lives,
/// the calls above may change it, and the destructor restores it, unless the thread had used none.
class CallersDevice {
 public:
  CallersDevice();
  ~CallersDevice();
  CallersDevice(const CallersDevice&) = delete;
  CallersDevice& operator=(const CallersDevice&) = delete;

  /// Remembers what is current, once, just before another device becomes current.
  static void keep();

 private:
  CallersDevice* outer_;
  std::optional<void*> context_;  ///< the caller's; none: it has not changed
};

/// The time to start the driver and a context: the shortest call on an H200 takes 295 ms, and 3 ms
/// on its host's CPU (docs/journal.md, Choosing a device).
inline constexpr double start_seconds = 0.3;

}  // namespace bombard::cuda

namespace bombard {

/// An operation on the current device that the CUDA part registered. To be called only after
/// use_device() has returned, so that there is one.
template <class Operation>
const Operation& on_device() {
  return registered<Operation>().at(0);
}

}  // namespace bombard
