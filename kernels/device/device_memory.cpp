#include "kernels/device/device_memory.hpp"

#include <fmt/format.h>

#include <cub/util_allocator.cuh>
#include <limits>
#include <mutex>

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

void check_allocation(cudaError_t status, std::int64_t bytes, const char* kind) {
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // as in check()
    throw CannotRun(fmt::format("{:.3g} GB of {} memory cannot be had",
                                static_cast<double>(bytes) * 1e-9, kind));
  }
  check(status, "allocating memory");
}

/// Keeps freed blocks of up to 32 MiB, in sizes of powers of two from 512 bytes on, so that an
/// allocation for each storm costs microseconds. Larger ones go back to the driver. Blocks are
/// reused in the order of the launches. (The driver's own pool, cudaMallocAsync, takes 8 to 11 ms
/// for its first block, and cudaMalloc 0.1 ms: docs/journal.md, The first call on a GPU.) It is
/// never destroyed: arrays with static storage duration end after every other static object.
cub::CachingDeviceAllocator& allocator() {
  constexpr unsigned growth = 2;
  constexpr unsigned smallest = 9;
  constexpr unsigned largest = 25;
  static auto& all = *new cub::CachingDeviceAllocator(growth, smallest, largest,
                                                      std::numeric_limits<std::size_t>::max());
  return all;
}

/// Bytes that were freed on a device and are kept for later.
std::int64_t kept_bytes(int device) {
  cub::CachingDeviceAllocator& all = allocator();
  const std::lock_guard lock(all.mutex);
  return static_cast<std::int64_t>(all.cached_bytes[device].free);
}

}  // namespace

void* get_device_memory(std::int64_t bytes) {
  void* memory = nullptr;
  check_allocation(allocator().DeviceAllocate(&memory, static_cast<std::size_t>(bytes)), bytes,
                   "device");
  return memory;
}

void give_back_device_memory(void* memory) noexcept {
  cudaPointerAttributes of;  // another device may be current by now
  if (cudaPointerGetAttributes(&of, memory) != cudaSuccess) return;  // the driver has ended
  allocator().DeviceFree(of.device, memory);
}

void* get_pinned_memory(std::int64_t bytes) {
  void* memory = nullptr;
  check_allocation(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), bytes,
                   "page-locked host");
  return memory;
}

void give_back_pinned_memory(void* memory) noexcept {
  cudaFreeHost(memory);
}

void copy_to_device(const void* from, void* to, std::int64_t bytes) {
  // Of cudaMemcpyAsync() CUDA promises only that it may have read pageable memory when it returns.
  check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
        "copying to the device");
}

void set_bytes(void* memory, int byte, std::int64_t bytes) {
  check(cudaMemsetAsync(memory, byte, static_cast<std::size_t>(bytes), nullptr), "setting memory");
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
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  return static_cast<std::int64_t>(free) + kept_bytes(device);
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
