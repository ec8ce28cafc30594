// Stands in for instruction_sets_x86.cpp on other processors: one set, which the compiler was told
// of.

#include "kernels/base/instruction_set.hpp"

namespace bombard::cpu {

std::vector<InstructionSet> instruction_sets_of_processor() {
  return {InstructionSet::baseline};
}

}  // namespace bombard::cpu
