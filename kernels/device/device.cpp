#include "kernels/device/device.hpp"

#include <fmt/format.h>

#include <cub/version.cuh>
#include <sstream>

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

/// The list that CMake compiled for, as it writes it: "75-real,90" (real: machine code only,
/// virtual: PTX only, bare: both).
constexpr const char* compiled_for = BOMBARD_CUDA_ARCHITECTURES;

/// Machine code runs on its own major capability from its minor on; PTX on every later device.
bool holds_code_for(int major, int minor) {
  std::istringstream list(compiled_for);
  for (std::string entry; std::getline(list, entry, ',');) {
    const int capability = std::stoi(entry);
    const bool machine_code = entry.find("virtual") == std::string::npos;
    const bool ptx = entry.find("real") == std::string::npos;
    if (machine_code && capability / 10 == major && capability % 10 <= minor) return true;
    if (ptx && capability <= 10 * major + minor) return true;
  }
  return false;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "reading a device attribute");
  return value;
}

}  // namespace

std::vector<Device> devices() {
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
                     .clock_ghz = attribute(cudaDevAttrClockRate, index) * 1e-6,
                     .l2_bytes = properties.l2CacheSize,
                     .has_code = holds_code_for(properties.major, properties.minor)});
  }
  return found;
}

void use_device(int index) {
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
    throw CannotRun(fmt::format(
        "{} has compute capability {}.{}, this build holds code for {}; "
        "rebuild with -DBOMBARD_CUDA_ARCHITECTURES={}{}",
        device.name, device.major, device.minor, architectures(), device.major, device.minor));
  }
  check(cudaSetDevice(index), "starting the device");
  // Freed memory stays in the pool: an allocation a storm then costs microseconds.
  cudaMemPool_t pool;
  check(cudaDeviceGetDefaultMemPool(&pool, index), "finding the memory pool");
  std::uint64_t keep_all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
        "setting up the memory pool");
}

std::int64_t free_device_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  // And what was freed and stays in the pool.
  int device = 0;
  cudaMemPool_t pool;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetDefaultMemPool(&pool, device), "finding the memory pool");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "asking for the pool's memory");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used),
        "asking for the pool's memory");
  return static_cast<std::int64_t>(free + reserved - used);
}

void require_device_memory(std::int64_t bytes, const std::string& what) {
  const std::int64_t free = free_device_memory();
  if (bytes > free) {
    throw CannotRun(fmt::format("{} needs {:.3g} GB of device memory, {:.3g} GB are free", what,
                                static_cast<double>(bytes) * 1e-9,
                                static_cast<double>(free) * 1e-9));
  }
}

void synchronize() {
  check(cudaDeviceSynchronize(), "waiting for the device");
}

std::string toolkit_version() {
  return fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

std::string cub_version() {
  return fmt::format("{}.{}.{}", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}

std::string architectures() {
  std::string list = compiled_for;
  for (const char* suffix : {"-real", "-virtual"}) {
    for (std::size_t at; (at = list.find(suffix)) != std::string::npos;) {
      list.erase(at, std::string(suffix).size());
    }
  }
  for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2) {
    list.replace(at, 1, ", ");
  }
  return list;
}

}  // namespace bombard::cuda
