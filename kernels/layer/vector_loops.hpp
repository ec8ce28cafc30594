#pragma once

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

inline constexpr int lanes = vector_bytes / sizeof(float);
/// Half of AVX-512's registers, and half of AVX2's.
inline constexpr int sums_in_registers = vector_bytes == 64 ? 16 : 8;
using Floats = Vector<float, vector_bytes>;

[[gnu::always_inline]] inline Floats load(const float* from) {
  return *reinterpret_cast<const Floats*>(from);
}
[[gnu::always_inline]] inline void store(float* to, Floats values) {
  *reinterpret_cast<Floats*>(to) = values;
}

}  // namespace bombard::cpu
