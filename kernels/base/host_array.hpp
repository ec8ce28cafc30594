#pragma once

#include <cstdint>

#include "kernels/base/owned_array.hpp"

namespace bombard {

/// Untouched host memory, in huge pages where the system has them: a table that is read at random
/// needs few address translations, a large layer causes few page faults, and the threads that
/// touch it first share the work of getting it.
void* get_host_memory(std::int64_t bytes);
void give_back_host_memory(void* memory) noexcept;

/// An array of T in such memory.
template <class T>
class HostArray : public OwnedArray<T, get_host_memory, give_back_host_memory> {
 public:
  using OwnedArray<T, get_host_memory, give_back_host_memory>::OwnedArray;

  bool empty() const { return this->size() == 0; }
  T* data() { return this->span().data(); }
  const T* data() const { return this->span().data(); }
  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }
};

}  // namespace bombard
