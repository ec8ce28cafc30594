#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cuda_check.hpp"

namespace bombard::cuda {

/// Blocks, threads a block and bytes of dynamic shared memory.
struct LaunchShape {
  std::int64_t blocks;
  int threads;
  std::int64_t shared_bytes = 0;
};

/// Blocks that give every element a thread.
inline LaunchShape one_thread_each(std::int64_t elements, int threads = 256) {
  return {(elements + threads - 1) / threads, threads};
}

/// Lets a kernel be launched with as much dynamic shared memory as a block can have on the current
/// device: more than every kernel may have.
template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...)) {
  int device = 0;
  int most = 0;
  cudaFuncAttributes attributes;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "reading a device attribute");
  check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's attributes");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(attributes.sharedSizeBytes)),
        "asking for shared memory");
}

/// The one way to launch a kernel: on the default stream, checked. Nothing happens for 0 blocks.
template <class... Parameters, class... Arguments>
void launch(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (shape.blocks == 0) return;
  kernel<<<static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.threads),
           static_cast<std::size_t>(shape.shared_bytes)>>>(std::forward<Arguments>(arguments)...);
  check(cudaPeekAtLastError(), name);
}

/// Blocks of `threads` threads and `shared_bytes` of dynamic shared memory that are on the device
/// at the same time: the most that launch_cooperative() takes.
template <class... Parameters>
std::int64_t resident_blocks(void (*kernel)(Parameters...), int threads,
                             std::int64_t shared_bytes = 0) {
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "reading a device attribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                      static_cast<std::size_t>(shared_bytes)),
        "computing the occupancy");
  return std::int64_t{multiprocessors} * blocks;
}

/// Threads that a multiprocessor holds of a kernel, of those it could hold.
template <class... Parameters>
double occupancy(void (*kernel)(Parameters...), int threads) {
  int device = 0;
  int held = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&held, cudaDevAttrMaxThreadsPerMultiProcessor, device),
        "reading a device attribute");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "reading a device attribute");
  return static_cast<double>(resident_blocks(kernel, threads) * threads) /
         (static_cast<double>(multiprocessors) * held);
}

/// launch() for a kernel whose blocks wait for one another: all run at the same time, or it fails.
template <class... Parameters, class... Arguments>
void launch_cooperative(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
                        Arguments&&... arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(shape.threads));
  configuration.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  configuration.attrs = &cooperative;
  configuration.numAttrs = 1;
  check(cudaLaunchKernelEx(&configuration, kernel, std::forward<Arguments>(arguments)...), name);
}

}  // namespace bombard::cuda
