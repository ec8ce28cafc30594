#include <cub/device/device_radix_sort.cuh>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/sort/sort.hpp"

// Batcher's bitonic network with every comparison in the same direction: phase p merges pairs of
// sorted runs of 2^p keys, first comparing i with its mirror image in the run of 2^(p+1), then i
// with i + 2^(p-1), i + 2^(p-2) ... i + 1. The smaller key always goes to the lower index, so that
// keys beyond the end, imagined larger than all others, would never move: they need no memory, and
// any length can be sorted.

namespace bombard::cuda {

namespace {

constexpr int block_bits = 12;  ///< a block sorts 2^12 keys in shared memory, up to 32 KiB
constexpr int block_keys = 1 << block_bits;
constexpr int block_threads = 1024;

/// Two keys that a step compares, the lower index first; the step's pairs are numbered from 0. In a
/// phase's first step (`mirrored`) the upper one is the mirror image of the lower one.
struct Pair {
  std::int64_t lower;
  std::int64_t upper;
};
__device__ Pair pair_of_step(std::int64_t pair, int bit, bool mirrored) {
  const std::int64_t half = std::int64_t{1} << bit;
  const std::int64_t lower = (pair / half) * 2 * half + pair % half;
  return {lower, mirrored ? lower ^ (2 * half - 1) : lower + half};
}

template <class Key>
__device__ void compare(Key& lower, Key& upper) {
  const bool swaps = upper < lower;
  const Key smaller = swaps ? upper : lower;
  upper = swaps ? lower : upper;
  lower = smaller;
}

/// Steps among a block's keys, in shared memory: all phases up to block_bits, or the last steps of
/// a later phase.
template <class Key>
__global__ void __launch_bounds__(block_threads)
    sort_block_kernel(Key* keys, std::int64_t size, bool all_phases) {
  __shared__ Key shared[block_keys];
  keys += std::int64_t{blockIdx.x} * block_keys;
  size = min(size - std::int64_t{blockIdx.x} * block_keys, std::int64_t{block_keys});
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < size; i += block_threads) shared[i] = keys[i];
  for (int top = all_phases ? 0 : block_bits - 1; top < block_bits; ++top) {
    for (int bit = top; bit >= 0; --bit) {
      __syncthreads();
      for (int pair = thread; pair < block_keys / 2; pair += block_threads) {
        const auto [lower, upper] = pair_of_step(pair, bit, all_phases && bit == top);
        if (upper < size) compare(shared[lower], shared[upper]);
      }
    }
  }
  __syncthreads();
  for (int i = thread; i < size; i += block_threads) keys[i] = shared[i];
}

/// A step over bits above those of a block, in device memory.
template <class Key>
__global__ void step_kernel(Key* keys, std::int64_t size, int bit, bool mirrored) {
  const std::int64_t pair = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto [lower, upper] = pair_of_step(pair, bit, mirrored);
  if (upper < size) compare(keys[lower], keys[upper]);
}

template <class Key>
void bitonic_sort(Key* keys, std::int64_t size) {
  const LaunchShape blocks{(size + block_keys - 1) / block_keys, block_threads};
  launch("sort blocks", blocks, sort_block_kernel<Key>, keys, size, true);
  for (int phase = block_bits; std::int64_t{1} << phase < size; ++phase) {
    for (int bit = phase; bit >= block_bits; --bit) {
      const std::int64_t runs = (size + (std::int64_t{2} << bit) - 1) >> (bit + 1);
      launch("step", one_thread_each(runs << bit), step_kernel<Key>, keys, size, bit, bit == phase);
    }
    launch("sort blocks", blocks, sort_block_kernel<Key>, keys, size, false);
  }
}

template <class Key>
void radix_sort(cub::DoubleBuffer<Key>& keys, std::int64_t size) {
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, size), "CUB's radix sort");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  check(cub::DeviceRadixSort::SortKeys(workspace.span().data(), bytes, keys, size),
        "CUB's radix sort");
}

template <class T, bool radix>
void sort_on_device(std::span<T> values, double* seconds) {
  // The values, their keys and, for CUB's radix sort, where it moves them.
  require_device_memory(3 * static_cast<std::int64_t>(values.size_bytes()), "sorting");
  const DeviceArray<T> there{std::span<const T>(values)};
  const std::int64_t size = there.size();
  DeviceArray<T> keys(size);
  DeviceArray<T> other(radix ? size : 0);
  cub::DoubleBuffer<T> buffers(keys.span().data(), other.span().data());
  run_timed(seconds, [&] {
    copy_on_device(there.span().data(), buffers.Current(), size * std::int64_t{sizeof(T)});
    if constexpr (radix) {
      radix_sort(buffers, size);
    } else {
      bitonic_sort(buffers.Current(), size);
    }
  });
  copy_to_host(buffers.Current(), values.data(), static_cast<std::int64_t>(values.size_bytes()));
}

template <class T>
std::vector<DeviceSort<T>> all() {
  return {{"radix", 0, sort_on_device<T, true>}, {"bitonic", 0, sort_on_device<T, false>}};
}
const Registered of_integers{all<std::int32_t>()};
const Registered in_single{all<float>()};
const Registered in_double{all<double>()};

}  // namespace

}  // namespace bombard::cuda
