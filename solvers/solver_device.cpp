#include "solvers/solver_device.hpp"

#include <algorithm>

namespace bombard {

namespace {

bool started_gpu(const Device& device, double cpu_seconds) {
  if (device.kind == Device::cpu) return false;
  if (device.kind == Device::cuda) {
    cuda::use_device(device.index);
    return true;
  }
  if (cpu_seconds < cuda::start_seconds) return false;
  const auto found = cuda::devices();
  const auto usable = std::ranges::find_if(found, &cuda::Device::has_code);
  if (usable == found.end()) return false;
  cuda::use_device(usable->index);
  return true;
}

}  // namespace

SolverDevice::SolverDevice(const Device& device, double cpu_seconds)
    : is_gpu_(started_gpu(device, cpu_seconds)) {}

}  // namespace bombard
