#pragma once

#include <cstdint>

namespace bombard::cuda {

/// 16 bytes of T, moved by one instruction where the address is a multiple of 16.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T element[size];
};

/// Elements from `pointer` to the first address that is a multiple of `bytes`.
template <int bytes = 16, class T>
__host__ __device__ inline int elements_to_boundary(const T* pointer) {
  const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % bytes);
  return past == 0 ? 0 : (bytes - past) / static_cast<int>(sizeof(T));
}

/// Loads memory that this kernel does not write and reads once: leaves the L1 cache to others.
template <class T>
__device__ inline Pack<T> load_once(const T* pointer) {
  union {
    std::uint32_t word[4];
    Pack<T> pack;
  } loaded;
  asm volatile("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.word[0]), "=r"(loaded.word[1]), "=r"(loaded.word[2]),
                 "=r"(loaded.word[3])
               : "l"(pointer));
  return loaded.pack;
}

}  // namespace bombard::cuda
