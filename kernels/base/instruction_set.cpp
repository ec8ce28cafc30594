#include "kernels/base/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

namespace bombard::cpu {

namespace {

/// By their numbers in InstructionSet.
constexpr std::array<std::string_view, 3> names{"baseline", "AVX2", "AVX-512"};

InstructionSet set_named(std::string_view name) {
  return static_cast<InstructionSet>(std::ranges::find(names, name) - names.begin());
}

std::atomic<InstructionSet> chosen = set_named(offered_instruction_sets().front());

}  // namespace

InstructionSet chosen_instruction_set() {
  return chosen.load(std::memory_order_relaxed);
}

std::string_view instruction_set() {
  return names[static_cast<std::size_t>(chosen_instruction_set())];
}

void use_instruction_set(std::string_view name) {
  const auto offered = offered_instruction_sets();
  if (std::ranges::find(offered, name) == offered.end()) {
    throw std::invalid_argument("not offered by this processor");
  }
  chosen = set_named(name);
}

}  // namespace bombard::cpu
