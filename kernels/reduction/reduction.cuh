#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/last_block.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp.cuh"

/// The in-house reduction: every block computes a partial result, and the last block to finish
/// combines them. The order of combination depends only on the size, the alignment and the device,
/// so the result is deterministic on a given device. It is a template over
///   Operator: the operation. It has Element, Value; identity(), combine(a, b) (associative,
///             commutative), accumulate(value, elements, index) (a run of consecutive elements into
///             a thread's value), shuffle_down(value, lanes)
namespace bombard::cuda {

/// Warps combine by register shuffles, and a block through shared memory, with one value per warp.
struct WarpShuffles {
  /// The block's value, valid in thread 0. All threads must call it.
  template <class Operator, int threads>
  __device__ static typename Operator::Value combine_block(typename Operator::Value value) {
    constexpr int warps = threads / lanes_of_warp;
    static_assert(threads % lanes_of_warp == 0 && warps <= lanes_of_warp);
    value = combine_warp<Operator>(value);
    if constexpr (warps > 1) {
      __shared__ typename Operator::Value of_warp[warps];
      if (lane() == 0) of_warp[warp()] = value;
      __syncthreads();
      if (warp() == 0) {
        value = lane() < warps ? of_warp[lane()] : Operator::identity();
        value = combine_warp<Operator>(value);
      }
    }
    return value;
  }

  template <class Operator>
  __device__ static typename Operator::Value combine_warp(typename Operator::Value value) {
#pragma unroll
    for (int lanes = lanes_of_warp / 2; lanes > 0; lanes /= 2) {
      value = Operator::combine(value, Operator::shuffle_down(value, lanes));
    }
    return value;
  }
};

/// The end of a reduction: the last block to finish combines the values of all blocks' threads.
/// `of_block` has a value for each block; `arrived` as in is_last_block(). All threads must call
/// it.
template <class Operator, int threads>
__device__ void combine_blocks(typename Operator::Value value, typename Operator::Value* of_block,
                               unsigned* arrived, typename Operator::Value* result) {
  value = WarpShuffles::combine_block<Operator, threads>(value);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) of_block[blockIdx.x] = value;
    if (!is_last_block(arrived, gridDim.x)) return;
    value = Operator::identity();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads) {
      value = Operator::combine(value, of_block[block]);
    }
    value = WarpShuffles::combine_block<Operator, threads>(value);
  }
  if (threadIdx.x == 0) *result = value;
}

/// Block b of B takes the runs b, b + B, b + 2 B ... of elements; a thread loads 16 bytes at a
/// time, with four loads in flight. Elements before the first 128-byte boundary and those of the
/// tail are taken one by one, so that a warp's other loads touch no more bytes than they use.
template <class Operator, int threads>
__global__ void __launch_bounds__(threads)
    reduce_kernel(const typename Operator::Element* elements, std::int64_t count,
                  typename Operator::Value* of_block, unsigned* arrived,
                  typename Operator::Value* result) {
  using Element = typename Operator::Element;
  constexpr int loads = 4;
  constexpr int size = Pack<Element>::size;
  constexpr std::int64_t run = std::int64_t{threads} * loads * size;
  const auto blocks = static_cast<int>(gridDim.x);
  const auto block = static_cast<int>(blockIdx.x);
  auto value = Operator::identity();

  const std::uint64_t past = reinterpret_cast<std::uintptr_t>(elements) % 128;
  const std::int64_t head =
      min(count, static_cast<std::int64_t>((128 - past) % 128 / sizeof(Element)));
  const std::int64_t runs = (count - head) / run;
  for (std::int64_t r = block; r < runs; r += blocks) {
    const std::int64_t base = head + r * run;
    const auto* packs = reinterpret_cast<const Pack<Element>*>(elements + base);
    Pack<Element> loaded[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) loaded[i] = packs[threadIdx.x + i * threads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      Operator::accumulate(value, loaded[i].element,
                           base + std::int64_t{size} * (threadIdx.x + i * threads));
    }
  }
  const std::int64_t thread = std::int64_t{block} * threads + threadIdx.x;
  const auto take = [&](std::int64_t index) {
    const Element single[1] = {elements[index]};
    auto alone = Operator::identity();
    Operator::accumulate(alone, single, index);
    value = Operator::combine(value, alone);
  };
  if (thread < head) take(thread);
  for (std::int64_t k = head + runs * run + thread; k < count;
       k += std::int64_t{blocks} * threads) {
    take(k);
  }
  combine_blocks<Operator, threads>(value, of_block, arrived, result);
}

/// The reduction of spans of a given size on the current device. It holds the partial results, so
/// that it can be launched again and again without allocating memory.
template <class Operator>
class InhouseReduction {
 public:
  using Element = typename Operator::Element;
  using Value = typename Operator::Value;

  explicit InhouseReduction(std::int64_t count) : count_(count) {
    constexpr std::int64_t elements_a_block = std::int64_t{threads} * 4 * Pack<Element>::size;
    const std::int64_t resident = resident_blocks(reduce_kernel<Operator, threads>, threads);
    of_block_ = DeviceArray<Value>(std::clamp<std::int64_t>(
        (count + elements_a_block - 1) / elements_a_block, 1, std::max<std::int64_t>(1, resident)));
    set_bytes(arrived_.span(), 0);
  }

  /// Launches the reduction.
  void operator()(const Element* elements, Value* result) {
    launch("reduce", {of_block_.size(), threads}, reduce_kernel<Operator, threads>, elements,
           count_, of_block_.span().data(), arrived_.span().data(), result);
  }

  /// The threads that a multiprocessor holds, as a fraction of the most it can hold.
  double occupancy() const { return cuda::occupancy(reduce_kernel<Operator, threads>, threads); }

  static constexpr int threads = 256;

 private:
  std::int64_t count_;
  DeviceArray<Value> of_block_;
  DeviceArray<unsigned> arrived_{1};
};

}  // namespace bombard::cuda
