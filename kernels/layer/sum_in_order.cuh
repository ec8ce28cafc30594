#pragma once

#include "kernels/device/warp.cuh"

namespace bombard::cuda {

/// What the warps of a block tell each other when they add in order.
template <int warps>
struct SumInOrder {
  unsigned added[warps], end[warps];
  int first_wrong;
  float value;
};

/// `value` plus all addends of a block, one after another, thread by thread and in each thread's
/// order: it gives what the sequential program's chain of rounded additions gives, to the last bit,
/// in the time of a short chain. All threads must call it, with the same value, and all get the
/// sum; `shared` is in shared memory.
///
/// Between two powers of two, floats are evenly spaced, so an addend adds the same amount to the
/// bits of the sum wherever it comes in the chain, except at ties. From that each thread predicts
/// the value with which it begins. Then it adds. If every thread up to some thread began where the
/// one before it ended, they have added what the chain adds. Where this fails (the sum passed a
/// power of two, or a tie went the other way), the end of the thread before is known, and the rest
/// is predicted again from there; if it fails too often, the threads take turns.
template <int count, int warps>
__device__ float sum_in_order(float value, const float (&addend)[count],
                              SumInOrder<warps>& shared) {
  constexpr int most_predictions = 32, threads = warps * lanes_of_warp;
  const int thread = static_cast<int>(threadIdx.x);
  const auto end_of_thread = [&](float begin) {
#pragma unroll
    for (int k = 0; k < count; ++k) begin += addend[k];
    return begin;
  };
  int first = 0;  // the thread that begins with `value`; those before it are done
  for (int i = 0; i < most_predictions; ++i) {
    const unsigned bits = __float_as_uint(value);
    unsigned added = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) added += __float_as_uint(value + addend[k]);
    added = thread < first ? 0 : added - count * bits;
    unsigned up_to_here = added;
#pragma unroll
    for (int lanes = 1; lanes < lanes_of_warp; lanes *= 2) {
      const unsigned before = __shfl_up_sync(all_lanes, up_to_here, lanes);
      if (lane() >= lanes) up_to_here += before;
    }
    if (lane() == lanes_of_warp - 1) shared.added[warp()] = up_to_here;
    __syncthreads();
    unsigned begin = bits + up_to_here - added;
#pragma unroll
    for (int w = 0; w < warps; ++w) begin += w < warp() ? shared.added[w] : 0;
    const unsigned end = __float_as_uint(end_of_thread(__uint_as_float(begin)));
    if (lane() == lanes_of_warp - 1) shared.end[warp()] = end;
    if (thread == 0) shared.first_wrong = threads;
    unsigned end_before = __shfl_up_sync(all_lanes, end, 1);
    __syncthreads();
    if (lane() == 0 && warp() > 0) end_before = shared.end[warp() - 1];
    const bool is_wrong = thread > first && begin != end_before;
    if (__syncthreads_or(is_wrong) == 0) return __uint_as_float(shared.end[warps - 1]);
    if (is_wrong) atomicMin(&shared.first_wrong, thread);
    __syncthreads();
    first = shared.first_wrong;
    if (thread == first - 1) shared.value = __uint_as_float(end);
    __syncthreads();
    value = shared.value;
  }
  for (; first < threads; ++first) {
    __syncthreads();  // all have read the value before
    if (thread == first) shared.value = end_of_thread(value);
    __syncthreads();
    value = shared.value;
  }
  return value;
}

}  // namespace bombard::cuda
