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
template <int bytes, class T>
__host__ __device__ inline int elements_to_boundary(const T* pointer) {
  const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % bytes);
  return past == 0 ? 0 : (bytes - past) / static_cast<int>(sizeof(T));
}

}  // namespace bombard::cuda
