#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "bombard/errors.hpp"

namespace bombard::cuda {

/// Throws CannotRun with what was tried and the runtime's own message unless `status` is success.
/// The runtime forgets the error, which later calls would otherwise report once more.
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw CannotRun(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + ")");
  }
}

}  // namespace bombard::cuda
