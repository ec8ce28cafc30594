// Stands in for instruction_sets_x86.cpp on other processors: one set, which the compiler was told
// of.

#include "kernels/base/instruction_set.hpp"

namespace bombard::cpu {

std::vector<std::string_view> offered_instruction_sets() {
  return {"baseline"};
}

}  // namespace bombard::cpu
