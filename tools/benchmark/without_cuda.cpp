// Stands in for plain_kernel.cu in a build without CUDA: there are no devices to measure it on.

#include "kernels/base/errors.hpp"
#include "tools/benchmark/plain.hpp"

namespace bombard::cuda {

void plain_kernel(std::span<const Impact>, std::span<float>) {
  throw CannotRun("this build holds no CUDA code");
}

}  // namespace bombard::cuda
