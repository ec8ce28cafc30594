#include "kernels/layer/vector_kernels.hpp"

#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

const VectorKernels vector_kernels{update<SquareRootLaw>, update<GeneralLaw>};

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
