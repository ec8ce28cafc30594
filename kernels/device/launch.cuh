#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

/// Blocks, and threads per block.
struct LaunchShape {
  std::int64_t blocks;
  int threads;
};

/// As many blocks as give every element a thread.
inline LaunchShape one_thread_each(std::int64_t elements, int threads = 256) {
  return {(elements + threads - 1) / threads, threads};
}

/// An attribute of the current device.
inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&value, which, device), "reading a device attribute");
  return value;
}

/// A checked launch on the default stream with these attributes.
template <class... Parameters, class... Arguments>
void launch_with(const char* name, LaunchShape shape, std::span<cudaLaunchAttribute> attributes,
                 void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(shape.threads));
  configuration.attrs = attributes.data();
  configuration.numAttrs = static_cast<unsigned>(attributes.size());
  check(cudaLaunchKernelEx(&configuration, kernel, std::forward<Arguments>(arguments)...), name);
}

/// The usual way to launch a kernel: on the default stream, checked. Nothing happens for 0 blocks.
template <class... Parameters, class... Arguments>
void launch(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (shape.blocks > 0) launch_with(name, shape, {}, kernel, std::forward<Arguments>(arguments)...);
}

/// The number of blocks of `threads` threads that fit on the device at the same time: the most that
/// launch_cooperative() accepts.
template <class... Parameters>
std::int64_t resident_blocks(void (*kernel)(Parameters...), int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "computing the occupancy");
  return std::int64_t{device_attribute(cudaDevAttrMultiProcessorCount)} * blocks;
}

/// The threads of a kernel that a multiprocessor holds, as a fraction of the most it can hold.
template <class... Parameters>
double occupancy(void (*kernel)(Parameters...), int threads) {
  const double multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<double>(resident_blocks(kernel, threads) * threads) /
         (multiprocessors * device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
}

/// launch() for a kernel whose blocks wait for one another: all run at the same time, or it throws.
template <class... Parameters, class... Arguments>
void launch_cooperative(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
                        Arguments&&... arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  launch_with(name, shape, {&cooperative, 1}, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace bombard::cuda
