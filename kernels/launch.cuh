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

/// The one way to launch a kernel: on the default stream, checked. Nothing happens for 0 blocks.
template <class... Parameters, class... Arguments>
void launch(const char* name, LaunchShape shape, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (shape.blocks == 0) return;
  kernel<<<static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.threads),
           static_cast<std::size_t>(shape.shared_bytes)>>>(std::forward<Arguments>(arguments)...);
  check(cudaPeekAtLastError(), name);
}

}  // namespace bombard::cuda
