#include "kernels/base/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>

#include "kernels/base/host_device.hpp"

namespace bombard::cpu {

namespace {

/// [InstructionSet]
constexpr std::array<std::string_view, 3> names{"baseline", "AVX2", "AVX-512"};

/// Checks those features of the levels x86-64-v3 and x86-64-v4 that a compiler makes use of.
InstructionSet widest_of_processor() {
  const bool avx2 = BOMBARD_PROCESSOR_HAS("avx2") && BOMBARD_PROCESSOR_HAS("fma") &&
                    BOMBARD_PROCESSOR_HAS("bmi") && BOMBARD_PROCESSOR_HAS("bmi2") &&
                    BOMBARD_PROCESSOR_HAS("popcnt");
  const bool avx512 = avx2 && BOMBARD_PROCESSOR_HAS("avx512f") &&
                      BOMBARD_PROCESSOR_HAS("avx512bw") && BOMBARD_PROCESSOR_HAS("avx512cd") &&
                      BOMBARD_PROCESSOR_HAS("avx512dq") && BOMBARD_PROCESSOR_HAS("avx512vl");
  return avx512 ? InstructionSet::avx512 : avx2 ? InstructionSet::avx2 : InstructionSet::baseline;
}

const InstructionSet offered = widest_of_processor();
std::atomic<InstructionSet> chosen = offered;

}  // namespace

InstructionSet chosen_instruction_set() {
  return chosen.load(std::memory_order_relaxed);
}

std::string_view instruction_set() {
  return names[static_cast<std::size_t>(chosen_instruction_set())];
}

std::vector<std::string_view> offered_instruction_sets() {
  return {names.rend() - static_cast<std::ptrdiff_t>(offered) - 1, names.rend()};
}

void use_instruction_set(std::string_view name) {
  const auto set = static_cast<InstructionSet>(std::ranges::find(names, name) - names.begin());
  if (set > offered) throw std::invalid_argument("not offered by this CPU");
  chosen = set;
}

}  // namespace bombard::cpu
