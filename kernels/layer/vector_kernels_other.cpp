// Stands in for vector_kernels_x86.cpp on other processors.

#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

const VectorKernels& vector_kernels() {
  return baseline::vector_kernels;
}

}  // namespace bombard::cpu
