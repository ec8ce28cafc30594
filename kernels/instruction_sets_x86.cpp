#include <array>

#include "kernels/instruction_set.hpp"

namespace bombard::cpu {

namespace {

constexpr std::array<std::string_view, 3> known{"AVX-512", "AVX2", "baseline"};

/// Index of the widest of `known` that processor and operating system support. The features are
/// those of the levels x86-64-v4 and x86-64-v3 that a compiler makes use of.
std::size_t widest() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? 0 : avx2 ? 1 : 2;
}

}  // namespace

std::span<const std::string_view> offered_instruction_sets() {
  static const std::size_t first = widest();
  return std::span(known).subspan(first);
}

}  // namespace bombard::cpu
