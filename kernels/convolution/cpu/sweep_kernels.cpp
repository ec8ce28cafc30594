#include "kernels/convolution/cpu/sweep_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

const SweepKernels sweep_kernels{convolution::pass,        convolution::apply_block,
                                 convolution::add_shares,  convolution::cross_gap,
                                 convolution::add_product, convolution::sum_of_products,
                                 convolution::sum_decayed};

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
