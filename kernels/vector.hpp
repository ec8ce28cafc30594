#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/instruction_set.hpp"

namespace bombard::cpu {

/// `bytes` of T in one register, element by element arithmetic (GCC's and Clang's vector
/// extension). May stand at any address of a T.
template <class T, int bytes>
struct VectorOf {
  using type [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};
template <class T, int bytes>
using Vector = typename VectorOf<T, bytes>::type;

/// Of three versions of a function, compiled for 64, 32 and 16 bytes a register, the one for this
/// processor.
template <class Function>
Function widest(Function avx512, Function avx2, Function baseline) {
  const auto instructions = instruction_set();
  return instructions == "AVX-512" ? avx512 : instructions == "AVX2" ? avx2 : baseline;
}

/// The sum of a vector's elements, pairwise.
template <class T, int bytes>
[[gnu::always_inline]] inline T sum_of_elements(const Vector<T, bytes>& vector) {
  constexpr int count = bytes / static_cast<int>(sizeof(T));
  T parts[count];
  for (int i = 0; i < count; ++i) parts[i] = vector[i];
  for (int half = count / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

}  // namespace bombard::cpu
