#include "kernels/base/vector.hpp"
#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

const VectorKernels& vector_kernels() {
  return *widest(&avx512::vector_kernels, &avx2::vector_kernels, &baseline::vector_kernels);
}

}  // namespace bombard::cpu
