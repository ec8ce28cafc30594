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

void* allocate(std::int64_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) {
    check_allocation(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), nullptr), bytes,
                     "device");
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) cudaFreeAsync(memory, nullptr);
}

void* allocate_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) {
    check_allocation(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), bytes,
                     "page-locked host");
  }
  return memory;
}

void release_pinned(void* memory) noexcept {
  if (memory != nullptr) cudaFreeHost(memory);
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

}  // namespace bombard::cuda
