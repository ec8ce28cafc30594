#pragma once

#include <cstdint>
#include <nv/target>
#include <span>
#include <utility>

#include "kernels/device/cuda_check.hpp"

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

/// An attribute of the current device.
inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&value, which, device), "reading a device attribute");
  return value;
}

/// Bytes of dynamic shared memory that a block of a kernel can have on the current device.
template <class... Parameters>
int most_shared_memory(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's attributes");
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
         static_cast<int>(attributes.sharedSizeBytes);
}

/// Loads kernels, and what their files share, which takes up to a millisecond: their first launches
/// do so otherwise.
template <class... Kernels>
void load_kernels(Kernels*... kernels) {
  cudaFuncAttributes attributes;
  (check(cudaFuncGetAttributes(&attributes, kernels), "loading a kernel"), ...);
}

/// Lets a kernel be launched with all of it: more than every kernel may have.
template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...)) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most_shared_memory(kernel)),
        "asking for shared memory");
}

/// A checked launch on the default stream with these attributes.
template <class... Parameters, class... Arguments>
void launch_with(const char* name, LaunchShape shape, std::span<cudaLaunchAttribute> attributes,
                 void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  configuration.blockDim = dim3(static_cast<unsigned>(shape.threads));
  configuration.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
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

/// Whether this build holds code for compute capability 9.0: a device of another one runs code
/// whose kernels may not know how to wait for one another.
constexpr bool has_code_for_9() {
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    if (architecture / 100 == 9) return true;
  }
  return false;
}

/// launch() for a kernel that may begin when all blocks of the one before it have called
/// let_next_begin(). Its own call wait_for_previous() before they use what that one writes, or at
/// their end. On other devices than those of compute capability 9.x one follows the other.
template <class... Parameters, class... Arguments>
void launch_beside(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
                   Arguments&&... arguments) {
  cudaLaunchAttribute beside{};
  beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  beside.val.programmaticStreamSerializationAllowed = 1;
  const bool may_wait =
      has_code_for_9() && device_attribute(cudaDevAttrComputeCapabilityMajor) == 9;
  launch_with(name, shape, {&beside, may_wait ? 1U : 0U}, kernel,
              std::forward<Arguments>(arguments)...);
}

__device__ inline void let_next_begin() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
}
__device__ inline void wait_for_previous() {
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
}
/// The start of a kernel that needs all that was written before: only its launch is not waited for.
__device__ inline void follow_previous() {
  let_next_begin();
  wait_for_previous();
}

/// Blocks of `threads` threads that are on the device at the same time: the most that
/// launch_cooperative() takes.
template <class... Parameters>
std::int64_t resident_blocks(void (*kernel)(Parameters...), int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "computing the occupancy");
  return std::int64_t{device_attribute(cudaDevAttrMultiProcessorCount)} * blocks;
}

/// Threads that a multiprocessor holds of a kernel, of those it could hold.
template <class... Parameters>
double occupancy(void (*kernel)(Parameters...), int threads) {
  const double multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<double>(resident_blocks(kernel, threads) * threads) /
         (multiprocessors * device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
}

/// launch() for a kernel whose blocks wait for one another: all run at the same time, or it fails.
template <class... Parameters, class... Arguments>
void launch_cooperative(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
                        Arguments&&... arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  launch_with(name, shape, {&cooperative, 1}, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace bombard::cuda
