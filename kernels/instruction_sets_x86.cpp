#include <array>

#include "kernels/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

constexpr std::array known{&avx512::vector_kernels, &avx2::vector_kernels,
                           &baseline::vector_kernels};

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

std::span<const VectorKernels* const> offered_vector_kernels() {
  static const std::size_t first = widest();
  return std::span(known).subspan(first);
}

}  // namespace bombard::cpu
