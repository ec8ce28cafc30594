#pragma once

#include <cstddef>
#include <utility>

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

/// Elements of T in 16 bytes: a step of shuffles mixes no more.
template <class T>
constexpr int shuffled = 16 / static_cast<int>(sizeof(T));

/// In every 16 bytes: the blocks of `block` elements of a's and b's lower half by turns, plus those
/// of the upper half.
template <class T, int bytes, int block, std::size_t... i>
[[gnu::always_inline]] inline Vector<T, bytes> halves_by_turns(Vector<T, bytes> a,
                                                               Vector<T, bytes> b,
                                                               std::index_sequence<i...>) {
  constexpr std::size_t count = bytes / sizeof(T);
  constexpr auto source = [](std::size_t k) {
    const std::size_t place = k % shuffled<T>;
    const std::size_t in_half = place / block / 2 * block + place % block;
    return k - place + in_half + (place / block % 2) * count;
  };
  return __builtin_shufflevector(a, b, source(i)...) +
         __builtin_shufflevector(a, b, (source(i) + shuffled<T> / 2)...);
}

/// The sums of the elements of shuffled<T> vectors, all at once: a quarter of the shuffles that one
/// after the other takes.
template <class T, int bytes>
[[gnu::always_inline]] inline void store_sums(const Vector<T, bytes>* vectors, T* sums) {
  constexpr auto all = std::make_index_sequence<bytes / sizeof(T)>();
  Vector<T, bytes> merged;
  if constexpr (shuffled<T> == 2) {
    merged = halves_by_turns<T, bytes, 1>(vectors[0], vectors[1], all);
  } else {
    merged = halves_by_turns<T, bytes, 2>(halves_by_turns<T, bytes, 1>(vectors[0], vectors[1], all),
                                          halves_by_turns<T, bytes, 1>(vectors[2], vectors[3], all),
                                          all);
  }
  const auto store = [sums](Vector<T, 16> total) {
    *reinterpret_cast<Vector<T, 16>*>(sums) = total;
  };
  if constexpr (bytes == 16) {
    store(merged);
  } else {
    const auto half =
        upper_onto_lower<T, bytes>(merged, std::make_index_sequence<bytes / 2 / sizeof(T)>());
    if constexpr (bytes == 32) {
      store(half);
    } else {
      store(
          upper_onto_lower<T, bytes / 2>(half, std::make_index_sequence<bytes / 4 / sizeof(T)>()));
    }
  }
}

}  // namespace bombard::cpu
