#include "kernels/vector_kernels.hpp"

#include "kernels/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

const VectorKernels vector_kernels{BOMBARD_INSTRUCTION_SET_NAME, update<SquareRootLaw>, relax,
                                   max_location};

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
