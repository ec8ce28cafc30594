#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/device_memory.hpp"
#include "kernels/indexed_value.hpp"
#include "kernels/launch.cuh"

/// The in-house reduction: one grid-wide pass that leaves a partial result a block, one block that
/// reduces the partial results. No atomics; the order of combination depends on the size alone, so
/// the result is deterministic on a device. A template over
///   Operator: what is reduced. Element, Value; identity(), combine(a, b) (associative,
///   commutative),
///             accumulate(value, elements, index) (a run of consecutive elements into a thread's
///             value)
///   Scheme:   how a block combines its threads' values.
namespace bombard::cuda {

constexpr int elements_a_load = 4;  // 16 bytes of float

/// The largest value and its index, the smallest index among equals. No NaN.
struct ArgMax {
  using Element = float;
  using Value = IndexedValue;

  __host__ __device__ static Value identity() { return {-INFINITY, -1}; }

  __host__ __device__ static Value combine(const Value& a, const Value& b) {
    const bool take_b = b.value > a.value || (b.value == a.value && b.index < a.index);
    return take_b ? b : a;
  }

  /// Comparing the run's maximum first makes an element cost one operation: a new leader is rare.
  template <int count>
  __device__ static void accumulate(Value& leader, const float (&elements)[count],
                                    std::int64_t index) {
    float largest = elements[0];
#pragma unroll
    for (int i = 1; i < count; ++i) largest = fmaxf(largest, elements[i]);
    if (largest > leader.value) {
#pragma unroll
      for (int i = count - 1; i >= 0; --i) {
        if (elements[i] == largest) leader = {largest, index + i};
      }
    }
  }

  __device__ static Value shuffle_down(const Value& value, int lanes) {
    return {__shfl_down_sync(~0U, value.value, lanes), __shfl_down_sync(~0U, value.index, lanes)};
  }
};

/// Warps combine by register shuffles, the block by one value a warp in shared memory.
struct WarpShuffles {
  /// The block's value, valid in thread 0. Every thread takes part.
  template <class Operator, int threads>
  __device__ static typename Operator::Value combine_block(typename Operator::Value value) {
    constexpr int warps = threads / 32;
    static_assert(threads % 32 == 0 && warps <= 32);
    __shared__ typename Operator::Value of_warp[warps];
    value = combine_warp<Operator>(value);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = threadIdx.x < warps ? of_warp[threadIdx.x] : Operator::identity();
      value = combine_warp<Operator>(value);
    }
    return value;
  }

 private:
  template <class Operator>
  __device__ static typename Operator::Value combine_warp(typename Operator::Value value) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      value = Operator::combine(value, Operator::shuffle_down(value, lanes));
    }
    return value;
  }
};

/// Block b takes runs of `run` elements: b, b + blocks, b + 2 blocks ...; a thread loads 16 bytes
/// at a time, four loads in flight. `head` elements before the first 16-byte boundary and the tail
/// go one by one.
template <class Operator, class Scheme, int threads>
__global__ void reduce_elements(const typename Operator::Element* elements, std::int64_t count,
                                int head, typename Operator::Value* partial) {
  constexpr int loads = 4;
  constexpr std::int64_t run = std::int64_t{threads} * loads * elements_a_load;
  using Element = typename Operator::Element;
  auto value = Operator::identity();

  const std::int64_t runs = (count - head) / run;
  for (std::int64_t r = blockIdx.x; r < runs; r += gridDim.x) {
    const std::int64_t base = head + r * run;
    const auto* vectors = reinterpret_cast<const float4*>(elements + base);
    float4 loaded[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) loaded[i] = vectors[threadIdx.x + i * threads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const Element part[elements_a_load] = {loaded[i].x, loaded[i].y, loaded[i].z, loaded[i].w};
      Operator::accumulate(value, part,
                           base + std::int64_t{elements_a_load} * (threadIdx.x + i * threads));
    }
  }
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const auto take = [&](std::int64_t index) {
    const Element single[1] = {elements[index]};
    auto alone = Operator::identity();
    Operator::accumulate(alone, single, index);
    value = Operator::combine(value, alone);
  };
  if (thread < head) take(thread);
  for (std::int64_t k = head + runs * run + thread; k < count;
       k += std::int64_t{gridDim.x} * threads) {
    take(k);
  }

  value = Scheme::template combine_block<Operator, threads>(value);
  if (threadIdx.x == 0) partial[blockIdx.x] = value;
}

/// One block reduces the partial results.
template <class Operator, class Scheme, int threads>
__global__ void reduce_partial(const typename Operator::Value* partial, int count,
                               typename Operator::Value* result) {
  auto value = Operator::identity();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
    value = Operator::combine(value, partial[i]);
  }
  value = Scheme::template combine_block<Operator, threads>(value);
  if (threadIdx.x == 0) *result = value;
}

/// Reduces device memory; the answer comes to the host. Empty spans give the identity.
template <class Operator, class Scheme>
typename Operator::Value reduce(std::span<const typename Operator::Element> elements) {
  constexpr int threads = 256;
  constexpr int blocks_a_multiprocessor = 8;
  constexpr std::int64_t elements_a_block = std::int64_t{threads} * 16;
  const auto count = static_cast<std::int64_t>(elements.size());
  if (count == 0) return Operator::identity();

  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "reading a device attribute");
  const auto misaligned = reinterpret_cast<std::uintptr_t>(elements.data()) % sizeof(float4);
  const auto head = static_cast<int>(std::min<std::int64_t>(
      count, misaligned == 0 ? 0 : (sizeof(float4) - misaligned) / sizeof(float)));
  const int blocks = static_cast<int>(
      std::min<std::int64_t>((count + elements_a_block - 1) / elements_a_block,
                             std::int64_t{multiprocessors} * blocks_a_multiprocessor));

  DeviceArray<typename Operator::Value> partial(blocks + 1);
  auto* result = partial.span().data() + blocks;
  launch("reduce elements", {blocks, threads}, reduce_elements<Operator, Scheme, threads>,
         elements.data(), count, head, partial.span().data());
  launch("reduce partial results", {1, threads}, reduce_partial<Operator, Scheme, threads>,
         partial.span().data(), blocks, result);
  typename Operator::Value answer;
  copy_to_host(result, &answer, sizeof(answer));
  return answer;
}

}  // namespace bombard::cuda
