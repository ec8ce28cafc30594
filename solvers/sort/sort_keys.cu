#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/sort/sort_key.hpp"
#include "solvers/sort/sort_keys.hpp"
#include "solvers/timed.hpp"

// Batcher's bitonic network with every comparison in the same direction: phase p merges pairs of
// sorted runs of 2^(p-1) keys, first comparing i with its mirror image in the run of 2^p, then i
// with i + 2^(p-2), i + 2^(p-3) ... i + 1. The smaller key always goes to the lower index, so keys
// beyond the end, thought of as larger than all, would never move: they need no memory, and any
// length can be sorted.

namespace bombard::cuda {

namespace {

template <class Key>
constexpr Key beyond_the_end = ~Key{0};

/// Keys that a block sorts in shared memory: 2^13 of 32 bits or 2^12 of 64, 32 KB.
template <class Key>
constexpr int block_bits = sizeof(Key) == 4 ? 13 : 12;
template <class Key>
constexpr int block_keys = 1 << block_bits<Key>;
constexpr int register_bits = 3;  ///< keys that a thread takes into registers: 2^3
template <class Key>
constexpr int threads = block_keys<Key> >> register_bits;

/// 2^bits keys of a thread whose indices differ in the bits `low` .. low + bits - 1 alone. In a
/// phase's first step (`mirrored`) the upper half is the mirror image of the lower.
template <int bits>
__device__ std::int64_t index_of(std::int64_t item, int low, int key, bool mirrored) {
  const std::int64_t below = (std::int64_t{1} << low) - 1;
  const std::int64_t base = (item >> low) << (low + bits);
  std::int64_t offset = item & below;
  if (mirrored && (key >> (bits - 1)) != 0) offset = below - offset;
  return base | (std::int64_t{key} << low) | offset;
}

template <class Key>
__device__ void compare(Key& lower, Key& upper) {
  const Key smaller = min(lower, upper);
  upper = max(lower, upper);
  lower = smaller;
}

/// The steps of a phase from bit low + bits - 1 down to `low`, in registers.
template <int bits, class Key>
__device__ void merge(Key (&keys)[1 << bits], bool mirrored) {
#pragma unroll
  for (int bit = bits - 1; bit >= 0; --bit) {
#pragma unroll
    for (int k = 0; k < 1 << bits; ++k) {
      if ((k >> bit & 1) != 0) continue;
      if (mirrored && bit == bits - 1) {
        compare(keys[k], keys[(1 << bits) - 1 - k]);
      } else {
        compare(keys[k], keys[k | 1 << bit]);
      }
    }
  }
}

constexpr int bank_bytes = 128;  ///< of shared memory's banks together

/// A key of padding behind each row of keys that fills the banks: threads that read 8 keys apart
/// meet different banks.
template <class Key>
__host__ __device__ constexpr int padded(int index) {
  return index + index / (bank_bytes / static_cast<int>(sizeof(Key)));
}

/// The steps of a phase for bits low + bits - 1 .. low of the block's keys, in shared memory.
template <int bits, class Key>
__device__ void merge_shared(Key* shared, int low, bool mirrored) {
#pragma unroll
  for (int part = 0; part < 1 << (register_bits - bits); ++part) {
    const int item = static_cast<int>(threadIdx.x) + part * threads<Key>;
    Key keys[1 << bits];
#pragma unroll
    for (int k = 0; k < 1 << bits; ++k) {
      keys[k] = shared[padded<Key>(static_cast<int>(index_of<bits>(item, low, k, mirrored)))];
    }
    merge<bits>(keys, mirrored);
#pragma unroll
    for (int k = 0; k < 1 << bits; ++k) {
      shared[padded<Key>(static_cast<int>(index_of<bits>(item, low, k, mirrored)))] = keys[k];
    }
  }
  __syncthreads();
}

/// A phase's steps from bit `top` down to 0; the first is the mirrored one if `first_mirrored`.
template <class Key>
__device__ void merge_block(Key* shared, int top, bool first_mirrored) {
  const int rest = (top + 1) % register_bits;
  int low = top + 1 - rest;
  if (rest == 1) merge_shared<1>(shared, low, first_mirrored);
  if (rest == 2) merge_shared<2>(shared, low, first_mirrored);
  bool mirrored = first_mirrored && rest == 0;
  while (low > 0) {
    low -= register_bits;
    merge_shared<register_bits>(shared, low, mirrored);
    mirrored = false;
  }
}

/// A block's keys in shared memory: all phases up to block_bits (`from_values`: of what still are
/// values), or the last steps of a later phase. `to_values`: the last launch of all.
template <class T>
__global__ void __launch_bounds__(threads<SortKey<T>>)
    sort_block_kernel(SortKey<T>* keys, std::int64_t size, bool from_values, bool to_values,
                      SortOrder order) {
  using Key = SortKey<T>;
  __shared__ Key shared[padded<Key>(block_keys<Key>)];
  const std::int64_t first = std::int64_t{blockIdx.x} * block_keys<Key>;
  const auto here = static_cast<int>(min(std::int64_t{block_keys<Key>}, size - first));
#pragma unroll
  for (int part = 0; part < 1 << register_bits; ++part) {
    const int i = static_cast<int>(threadIdx.x) + part * threads<Key>;
    Key key = i < here ? keys[first + i] : beyond_the_end<Key>;
    if (from_values && i < here) key = sort_key<T>(key, order);
    shared[padded<Key>(i)] = key;
  }
  __syncthreads();
  if (from_values) {
    for (int top = 0; top < block_bits<Key>; ++top) merge_block(shared, top, true);
  } else {
    merge_block(shared, block_bits<Key> - 1, false);
  }
#pragma unroll
  for (int part = 0; part < 1 << register_bits; ++part) {
    const int i = static_cast<int>(threadIdx.x) + part * threads<Key>;
    const Key key = shared[padded<Key>(i)];
    if (i < here) keys[first + i] = to_values ? value_of_sort_key<T>(key, order) : key;
  }
}

/// Steps of a phase for bits low + bits - 1 .. low, above those of a block: in registers, straight
/// from and to device memory.
template <int bits, class Key>
__global__ void merge_kernel(Key* keys, std::int64_t size, int low, bool mirrored) {
  const std::int64_t item = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  Key held[1 << bits];
#pragma unroll
  for (int k = 0; k < 1 << bits; ++k) {
    const std::int64_t index = index_of<bits>(item, low, k, mirrored);
    held[k] = index < size ? keys[index] : beyond_the_end<Key>;
  }
  merge<bits>(held, mirrored);
#pragma unroll
  for (int k = 0; k < 1 << bits; ++k) {
    const std::int64_t index = index_of<bits>(item, low, k, mirrored);
    if (index < size) keys[index] = held[k];
  }
}

template <int bits, class Key>
void launch_merge(Key* keys, std::int64_t size, int phase, int low, bool mirrored) {
  // Whole runs of 2^phase keys; the last one may go beyond the end.
  const std::int64_t runs = (size + (std::int64_t{1} << phase) - 1) >> phase;
  launch("merge", one_thread_each(runs << (phase - bits)), merge_kernel<bits, Key>, keys, size, low,
         mirrored);
}

template <class T>
__global__ void to_keys_kernel(SortKey<T>* keys, std::int64_t size, SortOrder order) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) keys[i] = sort_key<T>(keys[i], order);
}

template <class T>
__global__ void to_values_kernel(const SortKey<T>* keys, std::int64_t size, SortOrder order,
                                 SortKey<T>* values) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) values[i] = value_of_sort_key<T>(keys[i], order);
}

template <class T>
void bitonic_sort(std::span<T> values, SortOrder order) {
  using Key = SortKey<T>;
  auto* keys = reinterpret_cast<Key*>(values.data());
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t blocks = (size + block_keys<Key> - 1) / block_keys<Key>;
  int phases = block_bits<Key>;
  while ((std::int64_t{1} << phases) < size) ++phases;

  launch("sort blocks", {blocks, threads<Key>}, sort_block_kernel<T>, keys, size, true,
         phases == block_bits<Key>, order);
  for (int phase = block_bits<Key> + 1; phase <= phases; ++phase) {
    int top = phase;  // bits top - 1 .. block_bits in registers, at most four at a time
    while (top > block_bits<Key>) {
      const int bits = std::min(4, top - block_bits<Key>);
      const bool mirrored = top == phase;
      top -= bits;
      switch (bits) {
        case 1:
          launch_merge<1>(keys, size, phase, top, mirrored);
          break;
        case 2:
          launch_merge<2>(keys, size, phase, top, mirrored);
          break;
        case 3:
          launch_merge<3>(keys, size, phase, top, mirrored);
          break;
        default:
          launch_merge<4>(keys, size, phase, top, mirrored);
      }
    }
    launch("sort blocks", {blocks, threads<Key>}, sort_block_kernel<T>, keys, size, false,
           phase == phases, order);
  }
}

template <class T>
void radix_sort(std::span<T> values, SortOrder order) {
  using Key = SortKey<T>;
  auto* keys = reinterpret_cast<Key*>(values.data());
  const auto size = static_cast<std::int64_t>(values.size());
  DeviceArray<Key> other(size);
  cub::DoubleBuffer<Key> buffers(keys, other.span().data());
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, buffers, size), "sizing CUB's radix sort");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  launch("to keys", one_thread_each(size), to_keys_kernel<T>, keys, size, order);
  check(cub::DeviceRadixSort::SortKeys(workspace.span().data(), bytes, buffers, size),
        "CUB's radix sort");
  launch("to values", one_thread_each(size), to_values_kernel<T>, buffers.Current(), size, order,
         keys);
}

/// CUB's own order of integers is the one wanted.
template <>
void radix_sort<std::int32_t>(std::span<std::int32_t> values, SortOrder order) {
  const auto size = static_cast<std::int64_t>(values.size());
  DeviceArray<std::int32_t> other(size);
  cub::DoubleBuffer<std::int32_t> buffers(values.data(), other.span().data());
  const auto sort = [&](void* workspace, std::size_t& bytes) {
    return order == SortOrder::ascending
               ? cub::DeviceRadixSort::SortKeys(workspace, bytes, buffers, size)
               : cub::DeviceRadixSort::SortKeysDescending(workspace, bytes, buffers, size);
  };
  std::size_t bytes = 0;
  check(sort(nullptr, bytes), "sizing CUB's radix sort");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  check(sort(workspace.span().data(), bytes), "CUB's radix sort");
  if (buffers.Current() != values.data()) {
    copy_on_device(buffers.Current(), values.data(),
                   static_cast<std::int64_t>(values.size_bytes()));
  }
}

template <class T>
void sort_on_device(std::span<T> values, SortOrder order, SortKernel kernel, KernelTiming* timing) {
  // The values, and for CUB's radix sort their keys twice.
  require_device_memory(3 * static_cast<std::int64_t>(values.size_bytes()), "sorting");
  const auto sort = kernel == SortKernel::bitonic ? bitonic_sort<T> : radix_sort<T>;
  DeviceArray<T> there{std::span<const T>(values)};
  if (timing == nullptr) {
    sort(there.span(), order);
  } else {
    // Each repetition sorts the same values, put back by a copy whose time is taken off.
    const DeviceArray<T> unsorted{std::span<const T>(values)};
    const auto put_back = [&] {
      copy_on_device(unsorted.span().data(), there.span().data(),
                     static_cast<std::int64_t>(values.size_bytes()));
    };
    const double copy = device_seconds(put_back);
    run_timed(timing, [&] {
      put_back();
      sort(there.span(), order);
    });
    timing->seconds -= copy;
  }
  there.copy_to(values);
}

const Registered of_integers{DeviceSort<std::int32_t>{sort_on_device}};
const Registered in_single{DeviceSort<float>{sort_on_device}};
const Registered in_double{DeviceSort<double>{sort_on_device}};

}  // namespace

}  // namespace bombard::cuda
