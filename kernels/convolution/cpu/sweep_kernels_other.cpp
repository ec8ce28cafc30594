// Stands in for sweep_kernels_x86.cpp on other processors.

#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

const SweepKernels& sweep_kernels() {
  return baseline::sweep_kernels;
}

}  // namespace bombard::cpu
