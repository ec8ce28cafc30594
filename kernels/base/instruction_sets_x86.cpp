#include "kernels/base/instruction_set.hpp"

namespace bombard::cpu {

/// The features are those of the levels x86-64-v4 and x86-64-v3 that a compiler makes use of.
std::vector<std::string_view> offered_instruction_sets() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  std::vector<std::string_view> offered;
  if (avx512) offered.push_back("AVX-512");
  if (avx2) offered.push_back("AVX2");
  offered.push_back("baseline");
  return offered;
}

}  // namespace bombard::cpu
