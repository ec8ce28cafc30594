#pragma once

#include "kernels/base/vector.hpp"
#include "kernels/layer/update_work.hpp"

/// The loops of one instruction set: CMakeLists.txt compiles each file that includes this once for
/// every instruction set, with the set's flags, its name as BOMBARD_INSTRUCTION_SET, the bytes of
/// its registers as BOMBARD_VECTOR_BYTES and how many of them may hold sums as BOMBARD_SUMS.
namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

inline constexpr int lanes = BOMBARD_VECTOR_BYTES / sizeof(float);
using Floats = Vector<float, BOMBARD_VECTOR_BYTES>;
using Indices = Vector<std::int32_t, BOMBARD_VECTOR_BYTES>;

[[gnu::always_inline]] inline Floats load(const float* from) {
  return *reinterpret_cast<const Floats*>(from);
}
[[gnu::always_inline]] inline void store(float* to, Floats values) {
  *reinterpret_cast<Floats*>(to) = values;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
