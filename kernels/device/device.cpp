#include "kernels/device/device.hpp"

#include <fmt/format.h>

#include <optional>

#include "bombard/errors.hpp"

namespace bombard::cuda {

namespace {

/// What a CallersDevice of this thread has to bring back; a driver that nobody needs is not asked.
struct Callers {
  bool kept = false;            ///< there is such an object
  std::optional<int> device{};  ///< known once another one is about to become current
};
thread_local Callers callers;

void keep_callers_device() {
  if (callers.kept && !callers.device) callers.device = cuda_part()->current_device();
}

}  // namespace

const CudaPart* cuda_part() {
  return registered<CudaPart>().empty() ? nullptr : &registered<CudaPart>().front();
}

void require_cuda_part() {
  if (cuda_part() == nullptr) {
    throw CannotRun("this build holds no CUDA code; build with nvcc 13 on the PATH to use a GPU");
  }
}

std::vector<Device> devices() {
  return cuda_part() == nullptr ? std::vector<Device>{} : cuda_part()->devices();
}

void use_device(int index) {
  require_cuda_part();
  const std::vector<Device> found = devices();
  if (found.empty()) {
    throw CannotRun("no GPU: the NVIDIA driver reports none; use --device cpu");
  }
  if (index < 0 || index >= static_cast<int>(found.size())) {
    throw CannotRun(
        fmt::format("no GPU {}: this machine has {}, numbered from 0", index, found.size()));
  }
  const Device& device = found[static_cast<std::size_t>(index)];
  if (!device.has_code) {
    throw CannotRun(
        fmt::format("{} has compute capability {}.{}, this build holds code for {}; "
                    "rebuild with -DBOMBARD_CUDA_ARCHITECTURES={}{}",
                    device.name, device.major, device.minor, cuda_part()->architectures,
                    device.major, device.minor));
  }
  keep_callers_device();
  cuda_part()->use_device(index);
}

void make_current(int index) {
  keep_callers_device();
  cuda_part()->make_current(index);
}

CallersDevice::CallersDevice() {
  callers = {.kept = true};
}

CallersDevice::~CallersDevice() {
  if (callers.device) cuda_part()->make_current(*callers.device);
  callers = {};
}

}  // namespace bombard::cuda
