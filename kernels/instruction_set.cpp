#include "kernels/instruction_set.hpp"

namespace bombard::cpu {

std::string_view instruction_set() {
  return "baseline";
}

}  // namespace bombard::cpu
