#include "kernels/base/instruction_set.hpp"

namespace bombard::cpu {

/// The features are those of the levels x86-64-v4 and x86-64-v3 that a compiler makes use of.
std::vector<InstructionSet> instruction_sets_of_processor() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  std::vector<InstructionSet> offered;
  if (avx512) offered.push_back(InstructionSet::avx512);
  if (avx2) offered.push_back(InstructionSet::avx2);
  offered.push_back(InstructionSet::baseline);
  return offered;
}

}  // namespace bombard::cpu
