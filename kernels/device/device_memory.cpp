#include "kernels/device/device_memory.hpp"

#include <fmt/format.h>

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

void check_allocation(cudaError_t status, std::int64_t bytes, const char* kind) {
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw CannotRun(fmt::format("{:.3g} GB of {} memory cannot be had",
                                static_cast<double>(bytes) * 1e-9, kind));
  }
  check(status, "allocating memory");
}

}  // namespace

void* DeviceMemory::get(std::int64_t bytes) {
  void* memory = nullptr;
  check_allocation(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), nullptr), bytes,
                   "device");
  return memory;
}

void DeviceMemory::release(void* memory) noexcept {
  cudaFreeAsync(memory, nullptr);
}

void* PinnedMemory::get(std::int64_t bytes) {
  void* memory = nullptr;
  check_allocation(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), bytes,
                   "page-locked host");
  return memory;
}

void PinnedMemory::release(void* memory) noexcept {
  cudaFreeHost(memory);
}

void copy_to_device(const void* from, void* to, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, nullptr),
        "copying to the device");
}

void copy_on_device(const void* from, void* to, std::int64_t bytes) {
  check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, nullptr),
      "copying on the device");
}

void copy_to_host(const void* from, void* to, std::int64_t bytes) {
  check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
        "copying from the device");
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

}  // namespace bombard::cuda
