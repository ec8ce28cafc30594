#include "kernels/device/device.hpp"

#include <fmt/format.h>

#include "bombard/errors.hpp"

namespace bombard::cuda {

namespace {

thread_local CallersDevice* innermost = nullptr;  ///< of this thread

}  // namespace

const CudaPart* cuda_part() {
  return registered<CudaPart>().empty() ? nullptr : &registered<CudaPart>().front();
}

void require_cuda_part() {
  if (cuda_part() == nullptr) {
    throw CannotRun(
        "this build holds no CUDA code; build with nvcc 12.4 or newer on the PATH to use a GPU");
  }
}

std::vector<Device> devices() {
  return cuda_part() == nullptr ? std::vector<Device>{} : cuda_part()->devices();
}

void use_device(int index) {
  require_cuda_part();
  const std::vector<Device> found = devices();
  if (found.empty()) {
    throw CannotRun("no GPU: the NVIDIA driver reports none; take the CPU");
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
  make_current(index);
}

void make_current(int index) {
  CallersDevice::keep();
  cuda_part()->set_device(index);
}

CallersDevice::CallersDevice() : outer_(innermost) {
  innermost = this;
}

CallersDevice::~CallersDevice() {
  if (context_.value_or(nullptr) != nullptr) cuda_part()->set_context(*context_);
  innermost = outer_;
}

void CallersDevice::keep() {
  if (innermost == nullptr || innermost->context_) return;
  innermost->context_ = cuda_part()->current_context();
}

}  // namespace bombard::cuda
