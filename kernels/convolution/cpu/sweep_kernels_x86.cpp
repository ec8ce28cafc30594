#include "kernels/base/vector.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

const SweepKernels& sweep_kernels() {
  return *widest(&avx512::sweep_kernels, &avx2::sweep_kernels, &baseline::sweep_kernels);
}

}  // namespace bombard::cpu
