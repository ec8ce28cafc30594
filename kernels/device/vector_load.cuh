#pragma once

namespace bombard::cuda {

/// 16 bytes of T, moved by one instruction where the address is a multiple of 16.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T element[size];
};

}  // namespace bombard::cuda
