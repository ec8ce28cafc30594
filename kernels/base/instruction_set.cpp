#include "kernels/base/instruction_set.hpp"

#include <atomic>
#include <stdexcept>

namespace bombard::cpu {

namespace {

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "AVX-512";
    case InstructionSet::avx2:
      return "AVX2";
    default:
      return "baseline";
  }
}

std::atomic<InstructionSet> chosen = instruction_sets_of_processor().front();

}  // namespace

InstructionSet chosen_instruction_set() {
  return chosen.load(std::memory_order_relaxed);
}

std::string_view instruction_set() {
  return name_of(chosen_instruction_set());
}

std::vector<std::string_view> offered_instruction_sets() {
  std::vector<std::string_view> names;
  for (const InstructionSet set : instruction_sets_of_processor()) names.push_back(name_of(set));
  return names;
}

void use_instruction_set(std::string_view name) {
  for (const InstructionSet set : instruction_sets_of_processor()) {
    if (name_of(set) == name) {
      chosen = set;
      return;
    }
  }
  throw std::invalid_argument("not offered by this processor");
}

}  // namespace bombard::cpu
