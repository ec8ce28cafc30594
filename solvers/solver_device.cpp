#include "solvers/solver_device.hpp"

#include <algorithm>

namespace bombard {

SolverDevice::SolverDevice(const Device& device, double cpu_seconds)
    : is_gpu_(device.kind == Device::cuda) {
  int index = device.index;
  if (device.kind == Device::automatic && cpu_seconds >= cuda::start_seconds) {
    const auto found = cuda::devices();
    const auto usable = std::ranges::find_if(found, &cuda::Device::has_code);
    is_gpu_ = usable != found.end();
    if (is_gpu_) index = usable->index;
  }
  if (is_gpu_) cuda::use_device(index);
}

}  // namespace bombard
