#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bombard::cuda {

/// A GPU as the runtime describes it.
struct Device {
  int index;
  std::string name;
  int major, minor;     ///< compute capability
  std::int64_t memory;  ///< bytes
  int multiprocessors;
  double clock_ghz;  ///< the boost clock
  std::int64_t l2_bytes;
  bool has_code;  ///< this build holds code that runs on it
};

/// Every GPU that this process can see; none without a driver, or in a build without CUDA.
std::vector<Device> devices();

/// Makes the device current for this thread and starts it (a context costs tenths of a second).
/// Throws CannotRun, saying what there is, when there is no such device or no code for it.
void use_device(int index);

/// Bytes free on the current device, and freed ones that this program keeps for later.
std::int64_t free_device_memory();

/// Throws CannotRun with the GB needed and the GB free when the current device has less free.
/// `what` completes "... needs".
void require_device_memory(std::int64_t bytes, const std::string& what);

/// Waits for everything launched; throws on an error of any of it.
void synchronize();

/// Versions and architectures compiled in, "13.0", "3.0.1" and "75, 80, 90"; empty without CUDA.
std::string toolkit_version();
std::string cub_version();
std::string architectures();

}  // namespace bombard::cuda
