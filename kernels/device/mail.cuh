#pragma once

#include <cstdint>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>

/// Values on their way between the blocks of a kernel: 32 bits of one and a tag in a word of 64
/// bits, which is written and read at once. A reader polls until it sees the tag it waits for: data
/// and signal are the same trip through L2, without fences. A block may wait for blocks that are
/// not yet running as long as those do not wait for it.
namespace bombard::cuda {

/// Words that a T takes.
template <class T>
constexpr int mail_words = static_cast<int>(sizeof(T)) / 4;

template <class T>
__device__ void send(std::uint64_t* mail, const T& value, std::uint32_t tag) {
  const auto parts = ::cuda::std::bit_cast<::cuda::std::array<std::uint32_t, mail_words<T>>>(value);
#pragma unroll
  for (int w = 0; w < mail_words<T>; ++w) {
    ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>(mail[w]).store(
        std::uint64_t{tag} << 32 | parts[w], ::cuda::memory_order_relaxed);
  }
}

/// The value that was sent with this tag; waits for it.
template <class T>
__device__ T receive(std::uint64_t* mail, std::uint32_t tag) {
  ::cuda::std::array<std::uint32_t, mail_words<T>> parts;
#pragma unroll
  for (int w = 0; w < mail_words<T>; ++w) {
    const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> word(mail[w]);
    std::uint64_t letter;
    do {
      letter = word.load(::cuda::memory_order_relaxed);
    } while (letter >> 32 != tag);
    parts[w] = static_cast<std::uint32_t>(letter);
  }
  return ::cuda::std::bit_cast<T>(parts);
}

}  // namespace bombard::cuda
