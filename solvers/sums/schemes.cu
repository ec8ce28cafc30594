#include <algorithm>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <utility>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/schemes.hpp"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

/// Thread t adds what is s further if t is a multiple of 2 s: half, then a quarter of each warp's
/// threads work while the others wait.
struct Interleaved {
  template <int threads>
  __device__ static void combine(float* values) {
    const int t = static_cast<int>(threadIdx.x);
    for (int s = 1; s < threads; s *= 2) {
      if (t % (2 * s) == 0) values[t] += values[t + s];
      __syncthreads();
    }
  }
};

/// The first s threads add what is s further: whole warps work or rest.
struct Sequential {
  template <int threads>
  __device__ static void combine(float* values) {
    const int t = static_cast<int>(threadIdx.x);
    for (int s = threads / 2; s > 0; s /= 2) {
      if (t < s) values[t] += values[t + s];
      __syncthreads();
    }
  }
};

template <class Addressing>
struct InGlobalMemory {
  static constexpr bool needs_workspace = true;
  template <int threads>
  __device__ static float combine_block(float value, float* workspace) {
    float* values = workspace + std::int64_t{blockIdx.x} * threads;
    values[threadIdx.x] = value;
    __syncthreads();
    Addressing::template combine<threads>(values);
    return values[0];
  }
  /// A block reads and writes its elements once and, for each addition, reads two and writes one.
  static double operations_per_access(double threads) {
    return (threads - 1) / (2 * threads + 3 * (threads - 1) + 2);
  }
};

template <class Addressing>
struct InSharedMemory {
  static constexpr bool needs_workspace = false;
  template <int threads>
  __device__ static float combine_block(float value, float*) {
    __shared__ float values[threads];
    values[threadIdx.x] = value;
    __syncthreads();
    Addressing::template combine<threads>(values);
    return values[0];
  }
  /// A block reads its elements and writes its sum.
  static double operations_per_access(double threads) { return (threads - 1) / (threads + 1); }
};

struct InRegisters {
  static constexpr bool needs_workspace = false;
  template <int threads>
  __device__ static float combine_block(float value, float*) {
    return WarpShuffles::combine_block<Sum<float, float>, threads>(value);
  }
  static double operations_per_access(double threads) { return (threads - 1) / (threads + 1); }
};

__global__ void nothing_kernel() {}

template <class Scheme, int threads>
__global__ void __launch_bounds__(threads)
    sum_kernel(const float* values, std::int64_t count, float* workspace, float* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const float sum = Scheme::template combine_block<threads>(i < count ? values[i] : 0, workspace);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Sums of blocks, then of their sums, until one is left.
template <class Scheme, int threads>
SumByScheme sum_in_launches(std::span<const float> values, KernelTiming* timing) {
  const DeviceArray<float> there{values};
  const auto blocks_for = [](std::int64_t count) { return (count + threads - 1) / threads; };
  const auto count = static_cast<std::int64_t>(values.size());
  DeviceArray<float> workspace(Scheme::needs_workspace ? blocks_for(count) * threads : 0);
  DeviceArray<float> sums[2] = {DeviceArray<float>(blocks_for(count)),
                                DeviceArray<float>(blocks_for(blocks_for(count)))};
  const float* result = nullptr;
  run_timed(timing, [&] {
    const float* from = there.span().data();
    std::int64_t left = count;
    int into = 0;
    do {
      const std::int64_t blocks = blocks_for(left);
      launch("sum", {blocks, threads}, sum_kernel<Scheme, threads>, from, left,
             workspace.span().data(), sums[into].span().data());
      from = result = sums[into].span().data();
      left = blocks;
      into ^= 1;
    } while (left > 1);
  });
  float sum;
  copy_to_host(result, &sum, sizeof(sum));
  return {sum, Scheme::operations_per_access(threads),
          occupancy(sum_kernel<Scheme, threads>, threads)};
}

SumByScheme inhouse_sum(std::span<const float> values, KernelTiming* timing) {
  const auto count = static_cast<std::int64_t>(values.size());
  const DeviceArray<float> there{values};
  InhouseReduction<AccurateSum<float>> reduce(count);
  DeviceArray<CompensatedSum> result(1);
  run_timed(timing, [&] { reduce(there.span().data(), result.span().data()); });
  CompensatedSum sum;
  result.copy_to({&sum, 1});
  return {sum.value(), 1, reduce.occupancy()};
}

SumByScheme cub_sum(std::span<const float> values, KernelTiming* timing) {
  const DeviceArray<float> there{values};
  const auto count = static_cast<std::int64_t>(values.size());
  DeviceArray<float> result(1);
  std::size_t bytes = 0;
  const auto reduce = [&](void* workspace) {
    check(
        cub::DeviceReduce::Sum(workspace, bytes, there.span().data(), result.span().data(), count),
        "CUB's sum");
  };
  reduce(nullptr);
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_timed(timing, [&] { reduce(workspace.span().data()); });
  float sum;
  result.copy_to({&sum, 1});
  return {sum, 1, std::nan("")};
}

template <class Scheme, int... threads>
void add(std::vector<ReductionScheme>& all, const char* name,
         std::integer_sequence<int, threads...>) {
  (all.push_back({name, threads, sum_in_launches<Scheme, threads>}), ...);
}

std::vector<ReductionScheme> all_schemes() {
  constexpr std::integer_sequence<int, 32, 128, 256, 1024> blocks;
  std::vector<ReductionScheme> all;
  add<InGlobalMemory<Interleaved>>(all, "interleaved in global memory", blocks);
  add<InGlobalMemory<Sequential>>(all, "sequential in global memory", blocks);
  add<InSharedMemory<Interleaved>>(all, "interleaved in shared memory", blocks);
  add<InSharedMemory<Sequential>>(all, "sequential in shared memory", blocks);
  add<InRegisters>(all, "warp shuffles", blocks);
  all.push_back({"in-house", 0, inhouse_sum});
  all.push_back({"CUB", 0, cub_sum});
  return all;
}

const Registered schemes{DeviceSchemes{all_schemes()}};

}  // namespace

void launch_nothing() {
  cuda::launch("nothing", {1, 32}, nothing_kernel);
}

}  // namespace bombard::cuda
