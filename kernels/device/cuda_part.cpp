#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cub/version.cuh>
#include <sstream>

#include "kernels/base/registry.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device.hpp"

namespace bombard::cuda {

namespace {

/// The list of architectures that CMake compiled for, as CMake writes it: "75-real,90" (real:
/// machine code only, virtual: PTX only, neither: both).
constexpr const char* compiled_for = BOMBARD_CUDA_ARCHITECTURES;

/// Machine code runs on devices of its own major capability from its minor on; PTX runs on every
/// later device if the driver is not older than the toolkit that wrote it.
bool holds_code_for(int major, int minor) {
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "asking for the driver's version");
  std::istringstream list(compiled_for);
  for (std::string entry; std::getline(list, entry, ',');) {
    const int capability = std::stoi(entry);
    const bool machine_code = entry.find("virtual") == std::string::npos;
    const bool ptx = entry.find("real") == std::string::npos && driver >= CUDART_VERSION;
    if (machine_code && capability / 10 == major && capability % 10 <= minor) return true;
    if (ptx && capability <= 10 * major + minor) return true;
  }
  return false;
}

std::vector<Device> runtime_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device: an answer here, not an error for later calls
    return {};
  }
  std::vector<Device> found;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, index), "reading device properties");
    found.push_back({.index = index,
                     .name = properties.name,
                     .major = properties.major,
                     .minor = properties.minor,
                     .memory = static_cast<std::int64_t>(properties.totalGlobalMem),
                     .multiprocessors = properties.multiProcessorCount,
                     .l2_bytes = properties.l2CacheSize,
                     .has_code = holds_code_for(properties.major, properties.minor)});
  }
  return found;
}

/// A function of the driver; null where there is no driver. (The runtime's way to ask for one has
/// one name up to CUDA 12.4 and another one since.)
template <class Function>
Function* of_driver(const char* name) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
}

void* current_context() {
  static auto* const get = of_driver<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

/// Fails only where the caller has destroyed the context, and then there is nothing to restore.
void set_context(void* context) noexcept {
  static auto* const set = of_driver<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent");
  if (set != nullptr) set(static_cast<CUcontext>(context));
}

void set_device(int index) {
  const cudaError_t status = cudaSetDevice(index);
  // Drivers also report this when too little memory is left for a program to start.
  check(status, status == cudaErrorDevicesUnavailable
                    ? "starting the device (other programs, which nvidia-smi lists, may have taken "
                      "all of its memory, or the device for themselves)"
                    : "starting the device");
}

std::string toolkit_version() {
  return fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

std::string cub_version() {
  return fmt::format("{}.{}.{}", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}

const Registered part{CudaPart{runtime_devices, current_context, set_context, set_device,
                               toolkit_version(), cub_version(), BOMBARD_CUDA_CAPABILITIES}};

}  // namespace

}  // namespace bombard::cuda
