#include "kernels/base/instruction_set.hpp"

#include <atomic>
#include <stdexcept>

#include "kernels/base/host_device.hpp"

namespace bombard::cpu {

namespace {

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "AVX-512";
    case InstructionSet::avx2:
      return "AVX2";
    case InstructionSet::baseline:
      return "baseline";
  }
  __builtin_unreachable();
}

/// The features are those of the levels x86-64-v3 and x86-64-v4 that a compiler makes use of.
bool has_avx2() {
  return BOMBARD_PROCESSOR_HAS("avx2") && BOMBARD_PROCESSOR_HAS("fma") &&
         BOMBARD_PROCESSOR_HAS("bmi") && BOMBARD_PROCESSOR_HAS("bmi2") &&
         BOMBARD_PROCESSOR_HAS("popcnt");
}
bool has_avx512() {
  return has_avx2() && BOMBARD_PROCESSOR_HAS("avx512f") && BOMBARD_PROCESSOR_HAS("avx512bw") &&
         BOMBARD_PROCESSOR_HAS("avx512cd") && BOMBARD_PROCESSOR_HAS("avx512dq") &&
         BOMBARD_PROCESSOR_HAS("avx512vl");
}

std::atomic<InstructionSet> chosen = instruction_sets_of_processor().front();

}  // namespace

InstructionSet chosen_instruction_set() {
  return chosen.load(std::memory_order_relaxed);
}

std::vector<InstructionSet> instruction_sets_of_processor() {
  std::vector<InstructionSet> offered;
  if (has_avx512()) offered.push_back(InstructionSet::avx512);
  if (has_avx2()) offered.push_back(InstructionSet::avx2);
  offered.push_back(InstructionSet::baseline);
  return offered;
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
