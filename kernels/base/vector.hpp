#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace bombard::cpu {

/// The bytes of a vector register in the instruction set of this build (BOMBARD_SIMD in
/// CMakeLists.txt), and the set's name.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr const char* instruction_set = "AVX-512";
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr const char* instruction_set = "AVX2";
#else
inline constexpr int vector_bytes = 16;
inline constexpr const char* instruction_set = "baseline";
#endif

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
