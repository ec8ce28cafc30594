#include "kernels/base/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "kernels/base/host_device.hpp"

namespace bombard::cpu {

namespace {

struct Offered {
  InstructionSet set;
  std::string_view name;
};

/// The features are those of the levels x86-64-v3 and x86-64-v4 that a compiler makes use of.
std::vector<Offered> offered_by_processor() {
  const bool avx2 = BOMBARD_PROCESSOR_HAS("avx2") && BOMBARD_PROCESSOR_HAS("fma") &&
                    BOMBARD_PROCESSOR_HAS("bmi") && BOMBARD_PROCESSOR_HAS("bmi2") &&
                    BOMBARD_PROCESSOR_HAS("popcnt");
  const bool avx512 = avx2 && BOMBARD_PROCESSOR_HAS("avx512f") &&
                      BOMBARD_PROCESSOR_HAS("avx512bw") && BOMBARD_PROCESSOR_HAS("avx512cd") &&
                      BOMBARD_PROCESSOR_HAS("avx512dq") && BOMBARD_PROCESSOR_HAS("avx512vl");
  std::vector<Offered> offered;
  if (avx512) offered.push_back({InstructionSet::avx512, "AVX-512"});
  if (avx2) offered.push_back({InstructionSet::avx2, "AVX2"});
  offered.push_back({InstructionSet::baseline, "baseline"});
  return offered;
}

const std::vector<Offered> offered = offered_by_processor();
std::atomic<const Offered*> chosen = offered.data();

}  // namespace

InstructionSet chosen_instruction_set() {
  return chosen.load(std::memory_order_relaxed)->set;
}

std::string_view instruction_set() {
  return chosen.load(std::memory_order_relaxed)->name;
}

std::vector<std::string_view> offered_instruction_sets() {
  std::vector<std::string_view> names;
  for (const auto& [set, name] : offered) names.push_back(name);
  return names;
}

void use_instruction_set(std::string_view name) {
  const auto found = std::ranges::find(offered, name, &Offered::name);
  if (found == offered.end()) throw std::invalid_argument("not offered by this processor");
  chosen = &*found;
}

}  // namespace bombard::cpu
