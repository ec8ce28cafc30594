#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/base/host_device.hpp"
#include "kernels/base/instruction_set.hpp"

namespace bombard::cpu {

/// `bytes` bytes of T in one register, with elementwise arithmetic (GCC's and Clang's vector
/// extension). It can be at any address of a T; functions take it by value, because through a
/// reference or a pointer Clang expects it at a multiple of its size: arrays of it that are passed
/// on by pointer are alignas(sizeof(its type)).
template <class T, int bytes>
struct VectorOf {
  using type [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};
template <class T, int bytes>
using Vector = typename VectorOf<T, bytes>::type;

/// Chooses, from three versions of a function compiled for registers of 64, 32 and 16 bytes, the
/// one for this CPU.
template <class Function>
Function widest(Function avx512, Function avx2, Function baseline) {
  const InstructionSet set = chosen_instruction_set();
  return set == InstructionSet::avx512 ? avx512 : set == InstructionSet::avx2 ? avx2 : baseline;
}

template <auto function, class... Arguments>
BOMBARD_AVX512 auto by_avx512(Arguments... arguments) {
  return function(arguments...);
}
template <auto function, class... Arguments>
BOMBARD_AVX2 auto by_avx2(Arguments... arguments) {
  return function(arguments...);
}

/// Calls the one of three functions that is written for registers of 64, 32 or 16 bytes, compiled
/// for them. The functions are always inlined.
template <auto avx512, auto avx2, auto baseline, class... Arguments>
auto by_widest(Arguments... arguments) {
  return widest(by_avx512<avx512, Arguments...>, by_avx2<avx2, Arguments...>,
                baseline)(arguments...);
}
/// The same for one function that the compiler vectorises.
template <auto function, class... Arguments>
auto by_widest(Arguments... arguments) {
  return by_widest<function, function, function>(arguments...);
}

template <class T, int bytes, std::size_t... i>
[[gnu::always_inline]] inline Vector<T, bytes / 2> upper_onto_lower(Vector<T, bytes> vector,
                                                                    std::index_sequence<i...>) {
  return __builtin_shufflevector(vector, vector, i...) +
         __builtin_shufflevector(vector, vector, (i + sizeof...(i))...);
}

/// The sum of a vector's elements: adds the upper half to the lower until one element is left.
template <class T, int bytes>
[[gnu::always_inline]] inline T sum_of_elements(Vector<T, bytes> vector) {
  constexpr std::size_t count = bytes / sizeof(T);
  if constexpr (count == 2) {
    return vector[0] + vector[1];
  } else {
    return sum_of_elements<T, bytes / 2>(
        upper_onto_lower<T, bytes>(vector, std::make_index_sequence<count / 2>()));
  }
}

}  // namespace bombard::cpu
