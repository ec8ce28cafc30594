#include "kernels/convolution/cpu/sweep.hpp"

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

const SweepKernels& sweep_kernels() {
  if constexpr (BOMBARD_IS_X86_64) {
    return *widest(&avx512::sweep_kernels, &avx2::sweep_kernels, &baseline::sweep_kernels);
  }
  return baseline::sweep_kernels;
}

}  // namespace bombard::cpu
