#include "solvers/device_choice.hpp"

#include <algorithm>

#include "kernels/device/device.hpp"

namespace bombard {

bool use_gpu(const DeviceChoice& choice, double cpu_seconds) {
  if (choice.kind == DeviceChoice::Kind::cpu) return false;
  if (choice.kind == DeviceChoice::Kind::cuda) {
    cuda::use_device(choice.index);
    return true;
  }
  if (cpu_seconds < cuda::start_seconds) return false;
  const auto found = cuda::devices();
  const auto usable = std::ranges::find_if(found, &cuda::Device::has_code);
  if (usable == found.end()) return false;
  cuda::use_device(usable->index);
  return true;
}

}  // namespace bombard
